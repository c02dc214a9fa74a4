import {
  controllerOf,
  controllerRevisions,
  createClient,
  createInformer,
  formatKey,
  keyOf,
  loadKubeconfig,
  parseKey,
  pods,
  silentLogger,
  startReconciler,
  systemClock,
  WorkQueue,
  type ControllerRevision,
  type Informer,
  type KubeObject,
  type Logger,
  type Pod,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import { advancedStatefulSets, cloneSets, type AdvancedStatefulSet, type CloneSet } from '@atoll/api';
import { runSimulatedPass, type SimulatedObject } from './simulated-kind.ts';
import { simulatedCloneSet, simulatedStatefulSet, type SimulatedWorkload } from './workload.ts';

/**
 * Simulated controllers of CloneSet and Advanced StatefulSet: they make, replace and count pods on a real API server as
 * OpenKruise's do, as far as a UnitedDeployment looks at it (replicas, partition, maxUnavailable, in-place updates,
 * status). They are not OpenKruise, and what runs on them is no result about it.
 */
export interface SimulatedKruise extends AsyncDisposable {
  stop(): Promise<void>;
}

export interface SimulatedKruiseOptions {
  /** Of somebody who may do everything. */
  readonly kubeconfig: string;
  readonly logger?: Logger;
}

/** Starts both; resolves when their caches are filled. The two kinds must be served already. */
export async function startSimulatedKruise(options: SimulatedKruiseOptions): Promise<SimulatedKruise> {
  const { kubeconfig, logger = silentLogger } = options;
  const client = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'simulated-kruise' });
  const ending = new AbortController();
  const indexers = { owner: ownerUid };
  const children = {
    pods: createInformer({ client, resource: pods, indexers }),
    revisions: createInformer({ client, resource: controllerRevisions, indexers }),
  };
  const kinds = [
    startKind<CloneSet>(client, cloneSets, simulatedCloneSet, children, logger, ending.signal),
    startKind<AdvancedStatefulSet>(
      client,
      advancedStatefulSets,
      simulatedStatefulSet,
      children,
      logger,
      ending.signal,
    ),
  ];
  const running = [
    ...kinds.map(({ stopped }) => stopped),
    children.pods.start(ending.signal),
    children.revisions.start(ending.signal),
  ];
  const stop = async (): Promise<void> => {
    ending.abort();
    await Promise.all(running);
    await client.close();
  };
  await Promise.all([...kinds, children.pods, children.revisions].map(({ synced }) => synced));
  return { stop, [Symbol.asyncDispose]: stop };
}

interface Children {
  readonly pods: Informer<Pod>;
  readonly revisions: Informer<ControllerRevision>;
}

function startKind<T extends SimulatedObject>(
  client: StreamingClient,
  resource: Resource<T>,
  workloadOf: (object: Stored<T>) => SimulatedWorkload,
  children: Children,
  logger: Logger,
  signal: AbortSignal,
): { readonly synced: Promise<void>; readonly stopped: Promise<unknown> } {
  const name = `simulated-${resource.plural}`;
  const objects = createInformer<T>({ client, resource });
  const queue = new WorkQueue({ name, clock: systemClock });
  const reconcile = async (key: string): Promise<undefined> => {
    const object = objects.cache.get(parseKey(key));
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
    const { uid } = object.metadata;
    await runSimulatedPass({
      client,
      resource: resource as unknown as Resource<SimulatedObject>,
      object: object as unknown as Stored<SimulatedObject>,
      workload: workloadOf(object),
      pods: children.pods.cache.by('owner', uid),
      revisions: children.revisions.cache.by('owner', uid),
      wrote: (pod) => children.pods.cache.wrote(pod),
    });
  };
  const options = { name, queue, clock: systemClock, logger, workers: 4, reconcile };
  const { stopped } = startReconciler(options, signal);
  objects.subscribe((events) => {
    for (const { object } of events) queue.add(formatKey(keyOf(object)));
  });
  children.pods.subscribe((events) => {
    for (const { object } of events) {
      const owner = controllerOf(object);
      if (owner?.kind !== resource.kind || owner.apiVersion.split('/')[0] !== resource.group) continue;
      const { namespace = '' } = object.metadata;
      queue.add(formatKey({ namespace, name: owner.name }));
    }
  });
  return { synced: objects.synced, stopped: Promise.all([stopped, objects.start(signal)]) };
}

function ownerUid(object: Stored<KubeObject>): readonly string[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [owner.uid];
}
