import { annotations, labels, type NodePool, type PoolWorkload } from '@atoll/api';
import type { ControllerRevision, Deployment, Stored } from '@atoll/kube';

/** What an old operator leaves, built field by field from `reference/openyurt.md` 3.1.4 and 3.1.5. */
export interface OldChild {
  readonly owner: Stored<PoolWorkload>;
  readonly pool: NodePool;
  /** What the API server adds to the generated name. */
  readonly suffix: string;
  /** The label of the revision: its whole name; empty, or that of the first revision, where a render webhook wrote it. */
  readonly revision: string;
  /** By the render webhook of v1.4.0 to v1.4.4, which copied the template as it is. */
  readonly raw?: boolean;
  /** Fields of the spec that were written before the last change of the template. */
  readonly spec?: object;
}

interface PodSpec {
  readonly affinity?: { readonly nodeAffinity?: object };
  readonly tolerations?: readonly object[];
}

export function oldChild({ owner, pool, suffix, revision, raw = false, spec = {} }: OldChild): Deployment {
  const { name, namespace = '' } = owner.metadata;
  const { selector, workloadTemplate } = owner.spec;
  const template = workloadTemplate.deploymentTemplate;
  const poolName = { [labels.poolName]: pool.metadata.name };
  const marks = { [labels.controllerRevisionHash]: revision, ...poolName };
  const given = { ...template?.spec, ...spec } as {
    readonly template: { readonly metadata?: { readonly labels?: object }; readonly spec?: PodSpec };
  };
  const pods = given.template;
  const rendered = raw
    ? { ...given, selector }
    : {
        ...given,
        selector: { ...selector, matchLabels: { ...selector.matchLabels, ...poolName } },
        template: {
          ...pods,
          metadata: { ...pods.metadata, labels: { ...pods.metadata?.labels, ...marks } },
          spec: placed(pods.spec ?? {}, pool),
        },
      };
  return {
    metadata: {
      name: `${name}-${pool.metadata.name}-${suffix}`,
      namespace,
      labels: { ...template?.metadata?.labels, ...selector.matchLabels, ...marks },
      annotations: { ...template?.metadata?.annotations, [annotations.refNodePool]: pool.metadata.name },
      ownerReferences: [oldOwner(owner)],
    },
    spec: rendered as unknown as NonNullable<Deployment['spec']>,
  };
}

export function oldRevision(
  owner: Stored<PoolWorkload>,
  name: string,
  revision: number,
  workloadTemplate = owner.spec.workloadTemplate,
): ControllerRevision {
  const { deploymentTemplate } = owner.spec.workloadTemplate;
  return {
    metadata: {
      name,
      namespace: owner.metadata.namespace ?? '',
      labels: {
        ...deploymentTemplate?.metadata?.labels,
        [labels.revisionHash]: name.slice(name.lastIndexOf('-') + 1),
      },
      ownerReferences: [oldOwner(owner)],
    },
    data: { spec: { workloadTemplate: { ...workloadTemplate, $patch: 'replace' } } },
    revision,
  };
}

/** The nodeSelector is replaced, required node affinity is dropped, each taint is tolerated whatever its value. */
function placed(spec: PodSpec, { metadata, spec: { taints = [] } = {} }: NodePool): object {
  const { affinity, tolerations = [] } = spec;
  const nodeAffinity: Record<string, unknown> = { ...affinity?.nodeAffinity };
  delete nodeAffinity['requiredDuringSchedulingIgnoredDuringExecution'];
  const all = [...tolerations, ...taints.map(({ key, effect }) => ({ key, operator: 'Exists', effect }))];
  return {
    ...spec,
    nodeSelector: { [labels.nodePool]: metadata.name },
    ...(affinity === undefined ? {} : { affinity: { ...affinity, nodeAffinity } }),
    ...(all.length === 0 ? {} : { tolerations: all }),
  };
}

function oldOwner({ metadata }: Stored<PoolWorkload>) {
  return {
    apiVersion: 'apps.openyurt.io/v1alpha1',
    kind: 'YurtAppDaemon',
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
