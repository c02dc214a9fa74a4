import { daemonSetUpdate, labels } from '@atoll/api';
import { apiVersionOf, jobs, pods, stableHash } from '@atoll/kube';
import type { Container, Job, Pod, PodSpec, PodTemplateSpec, SecurityContext, Stored } from '@atoll/kube';
import { addedTolerations } from '../engine/rollout/node-fit.ts';

/** Names of Jobs become label values. */
const nameLimit = 63;
const deadlineSeconds = 600;
/** As in OpenYurt: a finished Job that nobody cleared, because the operator was away, goes by itself. */
const keptSeconds = 30;

/** The same at every moment, so that a repeated create is AlreadyExists and not a second Job; never one of yurt-manager's. */
export function pullJobName({ metadata }: Stored<Pod>, revision: string): string {
  const hash = stableHash([metadata.uid, revision], 8);
  const room = nameLimit - daemonSetUpdate.prePullJobPrefix.length - hash.length - 1;
  const podPart = metadata.name.replaceAll('.', '-').slice(0, room).replace(/-+$/, '');
  return `${daemonSetUpdate.prePullJobPrefix}${podPart}-${hash}`;
}

/**
 * Pulls every image of the template on the node of the pod, as the next pod will: with its pull policies, service account, pull
 * secrets and tolerations. The containers run `true` or, where the image has none, nothing; they are confined as the strictest
 * Pod Security Standard asks.
 */
export function pullJob(pod: Stored<Pod>, template: PodTemplateSpec | undefined, revision: string): Job {
  const marked = { [labels.imagePrePull]: revision };
  return {
    apiVersion: apiVersionOf(jobs),
    kind: jobs.kind,
    metadata: {
      name: pullJobName(pod, revision),
      ...(pod.metadata.namespace === undefined ? {} : { namespace: pod.metadata.namespace }),
      labels: marked,
      ownerReferences: [
        {
          apiVersion: apiVersionOf(pods),
          kind: pods.kind,
          name: pod.metadata.name,
          uid: pod.metadata.uid,
          controller: true,
          // A pod that goes waits for no pull.
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: deadlineSeconds,
      ttlSecondsAfterFinished: keptSeconds,
      template: {
        metadata: { labels: marked },
        spec: pullSpec(template?.spec ?? { containers: [] }, pod.spec?.nodeName ?? ''),
      },
    },
  };
}

function pullSpec(template: PodSpec, nodeName: string): PodSpec {
  const isWindows = template.os?.name === 'windows';
  const { os, serviceAccountName, imagePullSecrets, runtimeClassName, hostNetwork } = template;
  return {
    nodeName,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // Which store an image is pulled into may depend on it.
    ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
    ...(os === undefined ? {} : { os }),
    // The template may be of what makes the network of the pods.
    ...(hostNetwork === undefined ? {} : { hostNetwork }),
    ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    ...(imagePullSecrets === undefined ? {} : { imagePullSecrets }),
    tolerations: [...(template.tolerations ?? []), ...addedTolerations(template)],
    containers: imagesOf(template).map(({ image, imagePullPolicy, securityContext }, index) => ({
      name: `image-${index + 1}`,
      ...(image === undefined ? {} : { image }),
      ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
      command: ['true'],
      ...(isWindows
        ? {}
        : { securityContext: { ...confined, ...userOf(template.securityContext, securityContext) } }),
    })),
  };
}

const confined = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

const nobody = 65_534;

/**
 * The user as whom a container of the Job runs: that of the template, which its service account may use; none where the template leaves it to the image, or to the
 * range of its namespace (OpenShift), and is not of root; nobody otherwise, as whom the containers of any image can be started.
 */
function userOf(
  ofPod: PodSpec['securityContext'],
  ofContainer: SecurityContext | undefined,
): Pick<SecurityContext, 'runAsUser'> {
  const runAsUser = ofContainer?.runAsUser ?? ofPod?.runAsUser;
  if (runAsUser !== undefined) return { runAsUser: runAsUser === 0 ? nobody : runAsUser };
  const isOther = ofContainer?.runAsNonRoot ?? ofPod?.runAsNonRoot;
  return isOther === true ? {} : { runAsUser: nobody };
}

/** Each image once, in the order of the template. */
function imagesOf({ initContainers = [], containers }: PodSpec): readonly Container[] {
  const found = new Map<string, Container>();
  for (const container of [...initContainers, ...containers]) {
    const { image = '', imagePullPolicy = '' } = container;
    const id = `${imagePullPolicy} ${image}`;
    if (!found.has(id)) found.set(id, container);
  }
  return [...found.values()];
}
