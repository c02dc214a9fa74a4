import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, controllerOf, controllerRevisions, jobs } from '@atoll/kube';
import type { Job, KubeObject, Pod, PodCondition, Resource } from '@atoll/kube';
import type { Controller } from '../../src/engine/controller.ts';
import type { Step } from '../../src/engine/step.ts';
import { createImagePrePullController } from '../../src/image-pre-pull/controller.ts';
import type { PrePullSnapshot } from '../../src/image-pre-pull/observe.ts';
import { pullJobName } from '../../src/image-pre-pull/pull-job.ts';
import { revisionMessage } from '../../src/image-pre-pull/pull-request.ts';
import { daemonSetController, kubelets } from '../neighbours/daemon-set-controller.ts';
import { garbageCollector } from '../neighbours/garbage-collector.ts';
import { deletes, edits, statusFollows } from '../neighbours/people.ts';
import { processOf } from '../process.ts';
import { emptyStore, seed, slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { Effect, World } from '../world.ts';
import {
  agentOf,
  generationOf,
  imageOf,
  isGoing,
  newestIn,
  nodeNamed,
  podOf,
  readiness,
  revisionOf,
  smallDaemonSets,
  smallNodes,
  smallPods,
} from './daemon-set-objects.ts';
import type { SmallDaemonSet, SmallPod } from './daemon-set-objects.ts';
import { changingSteps, seeing } from './planted.ts';
import { fromOptions, stamp } from './world-options.ts';
import type { WorldOptions } from './world-options.ts';

const { annotations, podConditions, pullReasons } = daemonSetUpdate;
const { needUpgrade, imageReady } = podConditions;
const allJobs = jobs as Resource<KubeObject> as Resource<SmallJob>;

interface SmallJob extends KubeObject {
  readonly status?: Job['status'];
}

export type PrePullBug =
  /** A Job that is not needed any more stays. */
  | 'jobs-not-cleared'
  /** An answer is written whatever has become of the pod meanwhile. */
  | 'answers-by-old-caches';

export interface PrePullWorldOptions extends WorldOptions {
  /** The images that somebody sets, in this order. */
  readonly images?: readonly string[];
  readonly bug?: PrePullBug;
}

/**
 * A DaemonSet of OTA with one node, whose owner asks for images, takes that back, and upgrades; the template changes meanwhile. That pods are outdated is written at
 * some time after, as by the controller that does.
 */
export function imagePrePullWorld({ images = ['v2', 'v3'], bug, ...options }: PrePullWorldOptions): World {
  return {
    ...fromOptions({ patient: true, ...options }),
    build: (shown) =>
      processOf(
        shown,
        ['daemonSetPods', 'daemonSets', 'controllerRevisions', 'pullJobs', 'pullPods'],
        (readers) => withBug(seeing(createImagePrePullController(readers), withContainers), bug),
      ),
    begin: begin(),
    keys: ['v1', ...images].map((image) => `edge/agent-a-${image}`),
    neighbours: [
      daemonSetController,
      kubelets,
      { name: 'offers', moves: (store) => offers(store).moves(store) },
      garbageCollector([allJobs]),
      edits('edit', smallDaemonSets, (owner) => nextImage(owner, images)),
      { ...statusFollows('ask', smallPods, asks), spends: 'ask' },
      { ...statusFollows('take back', smallPods, takesBack), spends: 'take back' },
      deletes('upgrade', smallPods, mayBeUpgraded),
      statusFollows('job controller', allJobs, (job) => ends(job, 'Complete')),
      { ...statusFollows('fail', allJobs, (job) => ends(job, 'Failed')), spends: 'fail' },
      deletes('delete job', allJobs),
    ],
    wrongEffect,
    missing,
  };
}

function begin(): Store {
  const owner = agentOf({ [annotations.updateStrategy]: 'OTA' });
  let store = seed(emptyStore, smallDaemonSets, owner, 'uid-agent', '2025-12-31T23:59:59Z');
  store = seed(store, controllerRevisions, revisionOf('v1', 1, '1'), 'uid-v1', stamp);
  store = seed(store, smallNodes, nodeNamed('a'), 'uid-a', stamp);
  return seed(store, smallPods, { ...podOf('a', 'v1', '1'), ...readiness('True') }, 'uid-pod', stamp);
}

function nextImage(owner: SmallDaemonSet, images: readonly string[]) {
  const generation = Number(generationOf(owner)) + 1;
  const image = images[generation - 2];
  if (image === undefined) return [];
  const metadata = { annotations: { [annotations.templateGeneration]: String(generation) } };
  return [{ label: `sets image ${image}`, patch: { metadata, spec: { template: { spec: { image } } } } }];
}

function withCondition({ status }: SmallPod, condition: PodCondition) {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== condition.type);
  return { status: { conditions: [...others, condition] } };
}

/** What the upgrades of DaemonSets write on the pods: for a template that its controller has seen. */
function offers(store: Store) {
  const [owner] = objectsOf(store, smallDaemonSets);
  const newest = newestIn(store);
  const isSeen = owner?.status?.observedGeneration === owner?.metadata.generation;
  return statusFollows('offers', smallPods, (pod) => {
    if (newest === undefined || !isSeen || isGoing(pod)) return undefined;
    const status = imageOf(pod) === imageOf(newest) ? 'False' : 'True';
    const message = revisionMessage(imageOf(newest) ?? '');
    const found = conditionIn(pod, needUpgrade);
    if (found?.status === status && found.message === message) return undefined;
    return {
      label: `says ${status} for ${message} on ${pod.metadata.name}`,
      ...withCondition(pod, { type: needUpgrade, status, message }),
    };
  });
}

function conditionIn(pod: KubeObject, type: string): PodCondition | undefined {
  return conditionOf(pod as Pod, type);
}

function offered(pod: KubeObject): PodCondition | undefined {
  const found = conditionIn(pod, needUpgrade);
  return found?.status === 'True' ? found : undefined;
}

/** That is not answered. */
function requested(pod: KubeObject): PodCondition | undefined {
  const found = conditionIn(pod, imageReady);
  return found?.status === 'False' && found.reason === undefined ? found : undefined;
}

function asks(pod: SmallPod) {
  const { message } = offered(pod) ?? {};
  if (message === undefined || isGoing(pod) || requested(pod)?.message === message) return undefined;
  return {
    label: `asks for the images of ${message} on ${pod.metadata.name}`,
    ...withCondition(pod, { type: imageReady, status: 'False', message }),
  };
}

function takesBack(pod: SmallPod) {
  if (offered(pod) === undefined || conditionIn(pod, imageReady) === undefined) return undefined;
  const conditions = (pod.status?.conditions ?? []).filter(({ type }) => type !== imageReady);
  return { label: `takes the request back on ${pod.metadata.name}`, status: { conditions } };
}

function mayBeUpgraded(pod: SmallPod): boolean {
  const image = conditionIn(pod, imageReady);
  const isThere = image === undefined || (image.status === 'True' && image.message === offered(pod)?.message);
  return offered(pod) !== undefined && isThere;
}

function conditionsOf({ status }: SmallJob): readonly { readonly type: string }[] {
  return status?.conditions ?? [];
}

function ends(job: SmallJob, type: 'Complete' | 'Failed') {
  if (conditionsOf(job).length > 0 || isGoing(job)) return undefined;
  const condition = { type, status: 'True', lastTransitionTime: stamp, message: 'no such image' };
  return { label: `${job.metadata.name} is ${type}`, status: { conditions: [condition] } };
}

function find<T extends KubeObject>(cached: Effect['cached'], slot: string): T | undefined {
  return cached.known.get(slot)?.object as T | undefined;
}

function wrongEffect({ before, after, request, late, cached }: Effect): string | undefined {
  if (late) return undefined;
  if (request.verb === 'delete') return endsWhatIsAskedFor(cached, request.key.name);
  if (request.verb !== 'patch') return undefined;
  const slot = slotOf(smallPods, request.key);
  const [was, is] = [before.objects.get(slot)?.object, after.objects.get(slot)?.object];
  if (was === undefined || is === undefined) return undefined;
  const lost = (was as unknown as SmallPod).status?.conditions?.find(
    ({ type }) => conditionIn(is, type) === undefined,
  );
  if (lost !== undefined) return `the pod lost the condition ${lost.type}`;
  const open = requested(was);
  const answer = conditionIn(is, imageReady);
  if (answer?.reason !== undefined && open === undefined) return 'an answer that nobody asked for';
  if (answer?.reason !== pullReasons.pulled) return undefined;
  if (answer.message !== open?.message) return 'the answer is for another revision than the request';
  const name = jobFor(was, answer.message ?? '');
  const job = find<SmallJob>(cached, slotOf(allJobs, { namespace: 'edge', name }));
  const isPulled = job !== undefined && conditionsOf(job).some(({ type }) => type === 'Complete');
  return isPulled ? undefined : 'the images are reported as pulled, and no Job has pulled them';
}

function endsWhatIsAskedFor(cached: Effect['cached'], name: string): string | undefined {
  const job = find<SmallJob>(cached, slotOf(allJobs, { namespace: 'edge', name }));
  if (job === undefined || conditionsOf(job).length > 0) return undefined;
  const owner = controllerOf(job);
  const pod = find(cached, slotOf(smallPods, { namespace: 'edge', name: owner?.name ?? '' }));
  const open = pod && requested(pod);
  if (pod === undefined || open === undefined || open.message !== offered(pod)?.message) return undefined;
  return jobFor(pod, open.message ?? '') === name
    ? `Job ${name} was deleted, which pulls what is asked for`
    : undefined;
}

function jobFor(pod: KubeObject, message: string): string {
  return pullJobName(pod as Parameters<typeof pullJobName>[0], message.replace(revisionMessage(''), ''));
}

/** Each request is answered, and no Job is left that nobody waits for. */
function missing(store: Store): string | undefined {
  for (const pod of objectsOf(store, smallPods)) {
    if (offered(pod) !== undefined && requested(pod) !== undefined)
      return `the request of ${pod.metadata.name} is not answered`;
  }
  const [left] = objectsOf(store, allJobs);
  return left === undefined ? undefined : `Job ${left.metadata.name} is left`;
}

/** The templates of these worlds are images alone. */
function withContainers(snapshot: PrePullSnapshot): PrePullSnapshot {
  const history = snapshot.history.map((revision) => {
    const data = revision.data as { readonly spec: { readonly template: { readonly spec: object } } };
    const { template } = data.spec;
    return {
      ...revision,
      data: { spec: { template: { ...template, spec: { ...template.spec, containers: [] } } } },
    };
  });
  return { ...snapshot, history } as PrePullSnapshot;
}

function withBug(
  controller: Controller<PrePullSnapshot>,
  bug: PrePullBug | undefined,
): Controller<PrePullSnapshot> {
  switch (bug) {
    case 'jobs-not-cleared':
      return changingSteps(controller, (step) => (step.do === 'delete' ? [] : [step]));
    case 'answers-by-old-caches':
      return changingSteps(controller, (step) => [asOfNow(step)]);
    case undefined:
      return controller;
  }
}

function asOfNow(step: Step): Step {
  if (step.do !== 'patch') return step;
  const { resourceVersion: _, ...rest } = step;
  return rest as Step;
}
