import { randomBytes } from 'node:crypto';
import {
  canonicalJson,
  controllerRevisions,
  isApiError,
  isReady,
  pods,
  type ControllerRevision,
  type OwnerReference,
  type Pod,
  type PodTemplateSpec,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import type { AdvancedStatefulSet, CloneSet } from '@atoll/api';
import { decideSimulated, type SimulatedActions, type SimulatedPod } from './decide.ts';
import type { SimulatedWorkload } from './workload.ts';

/** The label by which pods show their revision, the same as of the built-in controllers. */
const revisionLabel = 'controller-revision-hash';

export type SimulatedObject = CloneSet | AdvancedStatefulSet;

/** One pass for one object: what it controls, as the caches have it. */
export interface SimulatedReconcile {
  readonly client: StreamingClient;
  readonly resource: Resource<SimulatedObject>;
  readonly object: Stored<SimulatedObject>;
  readonly workload: SimulatedWorkload;
  readonly pods: readonly Stored<Pod>[];
  /** Given every pod that was written, so that the next reconcile has it. */
  readonly wrote: (pod: Stored<Pod>) => void;
  readonly revisions: readonly Stored<ControllerRevision>[];
}

/** Does what is due and writes the status where it changed. */
export async function runSimulatedPass(pass: SimulatedReconcile): Promise<void> {
  const { workload } = pass;
  const templates = await keepRevision(pass);
  const live = pass.pods.filter(isLive);
  const ending = pass.pods.filter((pod) => !isLive(pod)).map(({ metadata }) => metadata.name);
  const actions = decideSimulated(workload, live.map(simulatedPodOf), ending);
  await act(pass, actions, templates);
  await writeStatus(pass, live);
}

async function act(
  pass: SimulatedReconcile,
  { create, remove, update }: SimulatedActions,
  templates: ReadonlyMap<string, PodTemplateSpec>,
): Promise<void> {
  const { client, workload } = pass;
  for (const {
    name = `${workload.name}-${randomBytes(3).toString('hex').slice(0, 5)}`,
    revision,
  } of create) {
    const template = templates.get(revision) ?? workload.template;
    const pod = await client
      .create(pods, podOf(pass, name, revision, template))
      .catch(ignore('AlreadyExists'));
    if (pod !== undefined) pass.wrote(pod);
  }
  const gone = new Set(remove);
  for (const pod of pass.pods) {
    const { name, uid, labels = {} } = pod.metadata;
    const key = { namespace: pod.metadata.namespace ?? '', name };
    const old = templates.get(labels[revisionLabel] ?? '');
    const inPlace = workload.update === 'in-place' && differInImagesOnly(old, workload.template);
    if (gone.has(name) || (update.includes(name) && !inPlace)) {
      const going = await client.delete(pods, key, { uid }).catch(ignore('NotFound', 'Conflict'));
      if (going !== undefined) pass.wrote(going);
    } else if (update.includes(name)) {
      pass.wrote(await client.patch(pods, key, { type: 'strategic', body: inPlaceChange(workload) }));
    }
  }
}

/** Keeps the template under its revision's name and yields all that are known. */
async function keepRevision(pass: SimulatedReconcile): Promise<ReadonlyMap<string, PodTemplateSpec>> {
  const { client, object, workload, revisions } = pass;
  const known = new Map(
    revisions.map(({ metadata, data }) => [metadata.name, data?.['template'] as PodTemplateSpec]),
  );
  const { updateRevision: name, template } = workload;
  if (known.has(name)) return known;
  const revision = Math.max(0, ...revisions.map((each) => each.revision)) + 1;
  const { namespace = '' } = object.metadata;
  const metadata = { name, namespace, ownerReferences: [ownerOf(pass)] };
  await client
    .create(controllerRevisions, { metadata, data: { template }, revision })
    .catch(ignore('AlreadyExists'));
  return known.set(name, template);
}

async function writeStatus(pass: SimulatedReconcile, live: readonly Stored<Pod>[]): Promise<void> {
  const { client, resource, object, workload } = pass;
  const { replicas, updateRevision } = workload;
  const updated = live.filter(({ metadata }) => metadata.labels?.[revisionLabel] === updateRevision);
  const ready = live.filter(isReady);
  const done = updated.length === live.length && ready.length === replicas && live.length === replicas;
  const matchLabels = Object.entries(object.spec.selector.matchLabels ?? {});
  const status = {
    observedGeneration: object.metadata.generation ?? 0,
    replicas: live.length,
    readyReplicas: ready.length,
    availableReplicas: ready.length,
    updatedReplicas: updated.length,
    // Asked for by the one kind, unknown to the other.
    ...(workload.identity === 'ordinal' ? { currentReplicas: live.length - updated.length } : {}),
    updatedReadyReplicas: updated.filter(isReady).length,
    currentRevision: done ? updateRevision : (workload.currentRevision ?? updateRevision),
    updateRevision,
    labelSelector: matchLabels.map(([name, value]) => `${name}=${value}`).join(','),
  };
  if (canonicalJson(status) === canonicalJson(object.status ?? {})) return;
  const key = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
  await client.patch(resource, key, { type: 'merge', body: { status } }, { subresource: 'status' });
}

function podOf(pass: SimulatedReconcile, name: string, revision: string, template: PodTemplateSpec): Pod {
  const { object, workload } = pass;
  const identity =
    workload.identity === 'ordinal'
      ? { 'statefulset.kubernetes.io/pod-name': name }
      : { 'apps.kruise.io/cloneset-instance-id': name.slice(-5) };
  return {
    ...template,
    metadata: {
      ...template.metadata,
      name,
      namespace: object.metadata.namespace ?? '',
      labels: { ...template.metadata?.labels, ...identity, [revisionLabel]: revision },
      ownerReferences: [ownerOf(pass)],
    },
  } as Pod;
}

function ownerOf({ resource, object }: SimulatedReconcile): OwnerReference {
  const { group, version, kind } = resource;
  const { name, uid } = object.metadata;
  const apiVersion = `${group}/${version}`;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function inPlaceChange({ template, updateRevision }: SimulatedWorkload): object {
  const { labels, annotations } = template.metadata ?? {};
  return {
    metadata: { labels: { ...labels, [revisionLabel]: updateRevision }, annotations },
    spec: { containers: template.spec?.containers.map(({ name, image }) => ({ name, image })) },
  };
}

/** Images, labels and annotations can be changed while a pod runs. */
function differInImagesOnly(old: PodTemplateSpec | undefined, wanted: PodTemplateSpec): boolean {
  const rest = ({ spec }: PodTemplateSpec): string =>
    canonicalJson({ ...spec, containers: spec?.containers.map((each) => ({ ...each, image: '' })) });
  return old !== undefined && rest(old) === rest(wanted);
}

function simulatedPodOf(pod: Stored<Pod>): SimulatedPod {
  const { name, labels, creationTimestamp } = pod.metadata;
  const revision = labels?.[revisionLabel] ?? '';
  return { name, revision, ready: isReady(pod), createdAt: Date.parse(creationTimestamp) };
}

function isLive({ metadata, status }: Stored<Pod>): boolean {
  return (
    metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
  );
}

/** For writes that came too late: the next reconcile sees why. */
function ignore(...reasons: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (reasons.some((reason) => isApiError(error, reason))) return undefined;
    throw error;
  };
}
