import { daemonSetUpdate } from '@atoll/api';
import { controllerRevisions, isReady } from '@atoll/kube';
import type { KubeObject, ObjectKey } from '@atoll/kube';
import { createDaemonSetUpgradeController } from '../../src/daemon-set/controller.ts';
import { isManaged } from '../../src/daemon-set/is-managed.ts';
import type { DaemonSetSnapshot } from '../../src/daemon-set/observe.ts';
import type { Controller } from '../../src/engine/controller.ts';
import type { Step } from '../../src/engine/step.ts';
import { daemonSetController, kubelets } from '../neighbours/daemon-set-controller.ts';
import { creates, deletes, edits, statusFollows } from '../neighbours/people.ts';
import { processOf } from '../process.ts';
import { emptyStore, seed, slotOf } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import { objectsOf } from '../world.ts';
import type { CacheContent } from '../model/caches.ts';
import type { Effect, World } from '../world.ts';
import {
  agentOf,
  broken,
  downIn,
  generationOf,
  imageOf,
  isGoing,
  nodeNamed,
  podOf,
  readiness,
  revisionOf,
  smallDaemonSets,
  smallNodes,
  smallPods,
} from './daemon-set-objects.ts';
import type { SmallDaemonSet, SmallNode, SmallPod } from './daemon-set-objects.ts';
import { changingSteps, planning, seeing, wakingLess } from './planted.ts';
import { fromOptions, stamp } from './world-options.ts';
import type { WorldOptions } from './world-options.ts';

const { annotations, nodeLabels, podConditions, podLabels } = daemonSetUpdate;

/** Planted bugs of reference/reliability.md 3.5. */
export type DaemonSetBug =
  | 'unavailable-old-pods-not-counted'
  | 'nodes-not-watched'
  | 'missing-node-stops-all'
  | 'ending-pod-counts-as-available'
  | 'percentage-of-listed-pods'
  | 'whole-condition-array'
  | 'away-when-sent'
  | 'order-changes'
  | 'generation-ignored'
  | 'offers-before-recorded'
  | 'conditions-go-first'
  | 'controller-not-awaited'
  | 'deleted-revision-ignored'
  | 'adopted-revision-counts'
  | 'revision-not-read'
  | 'annotations-not-asked';

export interface DaemonSetWorldOptions extends WorldOptions {
  readonly nodes?: readonly string[];
  /** Those of them that are away when it begins. */
  readonly awayAtFirst?: readonly string[];
  readonly strategy?: 'AdvancedRollingUpdate' | 'OTA';
  readonly maxUnavailable?: string;
  /** The images that somebody sets, in this order. */
  readonly images?: readonly string[];
  readonly bug?: DaemonSetBug;
}

/** A DaemonSet with a pod on every node, its controller and its kubelets; people change the template, nodes go away and come back. */
export function daemonSetWorld(options: DaemonSetWorldOptions): World {
  const {
    nodes: names = ['a', 'b'],
    strategy = 'AdvancedRollingUpdate',
    maxUnavailable = '1',
    images = ['v2'],
    bug,
    awayAtFirst = [],
  } = options;
  const asked = { [annotations.updateStrategy]: strategy, [annotations.maxUnavailable]: maxUnavailable };
  return {
    ...fromOptions({ patient: true, ...options }),
    build: (shown) =>
      processOf(
        shown,
        ['daemonSets', 'daemonSetPods', 'controllerRevisions', 'nodes', 'deployments'],
        (readers) => withBug(createDaemonSetUpgradeController(readers), bug),
      ),
    begin: begin(names, awayAtFirst, asked),
    keys: ['edge/agent'],
    neighbours: [
      daemonSetController,
      kubelets,
      edits('edit', smallDaemonSets, (owner) => nextImage(owner, images)),
      edits('take off', smallDaemonSets, takesOff),
      edits('put on again', smallDaemonSets, putsOn(strategy)),
      edits('switch', smallDaemonSets, switches),
      edits('pause', smallDaemonSets, pauses),
      edits('limit', smallDaemonSets, limits),
      edits('exclude', smallNodes, excludes),
      { ...statusFollows('away', smallNodes, goesAway), spends: 'away' },
      statusFollows('node comes back', smallNodes, comesBack),
      deletes('remove', smallNodes),
      deletes('delete revision', controllerRevisions),
      // Its controller adopts that of a deleted workload, and then gives its own the highest number.
      creates('adopt revision', controllerRevisions, [revisionOf('db', 9, '9')]),
      { ...statusFollows('other writer', smallPods, mark), spends: 'other writer' },
    ],
    wrongEffect,
    memory: {
      begin: { lapsed: [] } satisfies Lapsed,
      next: (memory, store) => lapsedIn(memory as Lapsed, store),
    },
    missing: missingIn,
  };
}

/** Revisions that are younger than the DaemonSet are its own; of one of the same second that is not known. */
const aSecondBefore = new Date(Date.parse(stamp) - 1000).toISOString();

function begin(
  names: readonly string[],
  away: readonly string[],
  asked: Readonly<Record<string, string>>,
): Store {
  let store = seed(emptyStore, smallDaemonSets, agentOf(asked), 'uid-agent', aSecondBefore);
  store = seed(store, controllerRevisions, revisionOf('v1', 1, '1'), 'uid-v1', stamp);
  for (const name of names) {
    const node = { ...nodeNamed(name), ...readiness(away.includes(name) ? 'Unknown' : 'True') };
    store = seed(store, smallNodes, node, `uid-${name}`, stamp);
    const pod = { ...podOf(name, 'v1', '1'), ...readiness('True') };
    store = seed(store, smallPods, pod, `uid-pod-${name}`, stamp);
  }
  return store;
}

/** The API server counts templates in an annotation. */
function nextImage(owner: SmallDaemonSet, images: readonly string[]) {
  const generation = Number(generationOf(owner)) + 1;
  const image = images[generation - 2];
  if (image === undefined) return [];
  const metadata = { annotations: { [annotations.templateGeneration]: String(generation) } };
  return [{ label: `sets image ${image}`, patch: { metadata, spec: { template: { spec: { image } } } } }];
}

/** Nobody asks for upgrades any more. */
function takesOff(owner: SmallDaemonSet) {
  if (!asks(owner)) return [];
  const metadata = { annotations: { [annotations.updateStrategy]: null } };
  return [{ label: 'takes the annotation off', patch: { metadata } }];
}

/** And then somebody does again. */
function putsOn(strategy: string) {
  return (owner: SmallDaemonSet) => {
    if (asks(owner)) return [];
    const metadata = { annotations: { [annotations.updateStrategy]: strategy } };
    return [{ label: 'puts the annotation on again', patch: { metadata } }];
  };
}

function asks(owner: SmallDaemonSet | undefined): boolean {
  return strategyOf(owner) !== undefined;
}

function strategyOf(owner: SmallDaemonSet | undefined): string | undefined {
  return owner?.metadata.annotations?.[annotations.updateStrategy];
}

function isPaused(owner: SmallDaemonSet | undefined): boolean {
  return owner?.metadata.annotations?.[annotations.rolloutPaused] === 'true';
}

function annotate(label: string, values: Readonly<Record<string, string | null>>) {
  return [{ label, patch: { metadata: { annotations: values } } }];
}

/** From one strategy to the other. */
function switches(owner: SmallDaemonSet) {
  const next = strategyOf(owner) === 'OTA' ? 'AdvancedRollingUpdate' : 'OTA';
  return annotate(`asks for ${next}`, { [annotations.updateStrategy]: next });
}

function pauses(owner: SmallDaemonSet) {
  return isPaused(owner)
    ? annotate('ends the pause', { [annotations.rolloutPaused]: null })
    : annotate('pauses', { [annotations.rolloutPaused]: 'true' });
}

/** Two may be unavailable, or one. */
function limits(owner: SmallDaemonSet) {
  const next = owner.metadata.annotations?.[annotations.maxUnavailable] === '1' ? '2' : '1';
  return annotate(`allows ${next}`, { [annotations.maxUnavailable]: next });
}

function isExcluded(node: SmallNode | undefined): boolean {
  return node?.metadata.labels?.[nodeLabels.excluded] === 'true';
}

function excludes(node: SmallNode) {
  const { name } = node.metadata;
  const [label, value] = isExcluded(node) ? [`includes ${name}`, null] : [`excludes ${name}`, 'true'];
  return [{ label, patch: { metadata: { labels: { [nodeLabels.excluded]: value } } } }];
}

function goesAway(node: SmallNode) {
  return isReady(node) ? { label: `${node.metadata.name} goes away`, ...readiness('Unknown') } : undefined;
}

function comesBack(node: SmallNode) {
  return isReady(node) ? undefined : { label: `${node.metadata.name} is back`, ...readiness('True') };
}

const others = 'example.test/Seen';

/** Somebody else who writes conditions of pods. */
function mark({ metadata, status }: SmallPod) {
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type }) => type === others)) return undefined;
  return {
    label: `marks ${metadata.name}`,
    status: { conditions: [...conditions, { type: others, status: 'True' }] },
  };
}

/** Nodes that were away and have had no available pod since: they count no more (F3). */
interface Lapsed {
  readonly lapsed: readonly string[];
}

function lapsedIn({ lapsed }: Lapsed, store: Store): Lapsed {
  const down = new Set(downIn(store));
  const all = objectsOf(store, smallNodes);
  const still = all.filter(
    (each) => !isReady(each) || (lapsed.includes(each.metadata.name) && down.has(each.metadata.name)),
  );
  return { lapsed: still.map(({ metadata }) => metadata.name) };
}

/** S1 to S6 of reference/reliability.md 3.5. */
function wrongEffect({ before, after, request, cached, late, memory }: Effect): string | undefined {
  if (request.verb === 'patch' && request.resource.kind === 'Pod') return lostCondition(before, after);
  if (request.verb !== 'delete') return undefined;
  const asked = find<SmallDaemonSet>(cached, 'daemonsets.apps|edge/agent');
  if (!late && strategyOf(asked) === 'OTA') return 'a pod was deleted although the owners of nodes decide';
  if (!late && isPaused(asked)) return 'a pod was deleted although the rollout is paused';
  const pod = find<SmallPod>(before, slotOf(smallPods, request.key));
  if (pod === undefined) return undefined;
  const { name, uid } = pod.metadata;
  const known = find<SmallPod>(cached, slotOf(smallPods, request.key));
  if (!late && known?.metadata.uid !== uid)
    return `pod ${name} was deleted, and another one of its name was meant`;
  const wanted = find<SmallDaemonSet>(before, 'daemonsets.apps|edge/agent')?.spec.template.spec.image;
  const knownWanted = asked?.spec.template.spec.image;
  if (imageOf(pod) === wanted && imageOf(pod) === knownWanted)
    return `pod ${name} was deleted, which is of the current template`;
  if (!late && !asks(asked)) return `pod ${name} was deleted although nobody asks for upgrades any more`;
  const node = find<SmallNode>(cached, slotOf(smallNodes, { name: pod.spec.nodeName }));
  if (node !== undefined && !isReady(node))
    return `pod ${name} was deleted although its node is known to be away`;
  if (isExcluded(node)) return `pod ${name} was deleted although its node is excluded`;
  const { lapsed } = memory as Lapsed;
  const down = downIn(after).filter((each) => !lapsed.includes(each));
  const most = budgetOf(asked?.metadata.annotations?.[annotations.maxUnavailable] ?? '1', cached);
  return down.length > most ? `${down.join(' and ')} are down at once, and ${most} may be` : undefined;
}

/** Of the nodes that are Ready in the operator's caches, rounded up, and at least 1. */
function budgetOf(maxUnavailable: string, { known }: CacheContent): number {
  const number = Number.parseInt(maxUnavailable, 10);
  if (!maxUnavailable.endsWith('%')) return number;
  const nodes = [...known].filter(([slot]) => slot.startsWith('nodes|'));
  const count = nodes.filter(([, { object }]) => isReady(object as SmallNode)).length;
  return Math.max(1, Math.ceil((count * number) / 100));
}

function lostCondition(before: Store, after: Store): string | undefined {
  for (const pod of objectsOf(before, smallPods)) {
    const now = find<SmallPod>(after, slotOf(smallPods, { namespace: 'edge', name: pod.metadata.name }));
    const kept = new Set(now?.status?.conditions?.map(({ type }) => type));
    const lost = pod.status?.conditions?.find(
      ({ type }) => !kept.has(type) && type !== podConditions.needUpgrade,
    );
    if (lost !== undefined) return `pod ${pod.metadata.name} lost the condition ${lost.type}`;
  }
  return undefined;
}

function find<T extends KubeObject>(from: Store | CacheContent, slot: string): T | undefined {
  const held = 'objects' in from ? from.objects.get(slot) : from.known.get(slot);
  return held?.object as T | undefined;
}

/** L1 to L4: every node has what is asked for, and the DaemonSet reports it. */
function missingIn(store: Store): string | undefined {
  const [owner] = objectsOf(store, smallDaemonSets);
  const strategy = strategyOf(owner);
  const isHeld = isPaused(owner) || objectsOf(store, smallNodes).some(isExcluded);
  const wanted = owner?.spec.template.spec.image;
  const all = objectsOf(store, smallPods);
  if (!asks(owner)) return leftOf(owner, all);
  for (const { metadata } of objectsOf(store, smallNodes)) {
    const pod = all.find(({ spec }) => spec.nodeName === metadata.name);
    if (pod === undefined || isGoing(pod)) return `${metadata.name} has no pod`;
    if (isHeld) continue;
    if (strategy === 'OTA') {
      const condition = pod.status?.conditions?.find(({ type }) => type === podConditions.needUpgrade);
      const right = imageOf(pod) === wanted ? 'False' : 'True';
      if (condition?.status !== right || condition.message !== `controllerrevision: ${wanted}`)
        return `the condition of pod ${pod.metadata.name} is not ${right} for ${wanted}`;
    } else if (wanted !== broken && (imageOf(pod) !== wanted || !isReady(pod))) {
      return `${metadata.name} does not run ${wanted}`;
    }
  }
  if (isHeld) return undefined;
  const shown = conditionsOf(owner).find(({ type }) => type === 'atoll.dev/UpToDate')?.status;
  const names = new Set(objectsOf(store, smallNodes).map(({ metadata }) => metadata.name));
  const onNodes = all.filter(({ spec }) => names.has(spec.nodeName));
  const isDone =
    strategy === 'OTA' ? onNodes.every((pod) => imageOf(pod) === wanted && isReady(pod)) : wanted !== broken;
  return shown === (isDone ? 'True' : 'False') ? undefined : `the DaemonSet has UpToDate=${String(shown)}`;
}

/** What is there of ours although nobody asks for it any more. */
function leftOf(owner: SmallDaemonSet | undefined, all: readonly SmallPod[]): string | undefined {
  const [found] = conditionsOf(owner);
  if (found !== undefined) return `the DaemonSet still has ${found.type}`;
  const pod = all.find(({ status }) =>
    status?.conditions?.some(({ type }) => type === podConditions.needUpgrade),
  );
  return pod === undefined ? undefined : `pod ${pod.metadata.name} still has ${podConditions.needUpgrade}`;
}

function conditionsOf(owner: SmallDaemonSet | undefined): readonly KeyedCondition[] {
  return ((owner?.status ?? {}) as { readonly conditions?: readonly KeyedCondition[] }).conditions ?? [];
}

interface KeyedCondition {
  readonly type: string;
  readonly status: string;
}

function withBug(
  controller: Controller<DaemonSetSnapshot>,
  bug: DaemonSetBug | undefined,
): Controller<DaemonSetSnapshot> {
  const ofNodes = (resource: object): boolean => (resource as { readonly kind?: string }).kind === 'Node';
  switch (bug) {
    case 'nodes-not-watched':
      return wakingLess(controller, ofNodes, () => undefined);
    case 'unavailable-old-pods-not-counted':
      // Whatever is not ready looks as if it were.
      return seeing(controller, (snapshot) => ({ ...snapshot, pods: snapshot.pods.map(ready) }));
    case 'ending-pod-counts-as-available':
      return seeing(controller, (snapshot) => ({ ...snapshot, pods: snapshot.pods.map(notEnding) }));
    case 'missing-node-stops-all':
      return seeing(controller, (snapshot) => {
        const there = new Set(snapshot.nodes.map(({ metadata }) => metadata.name));
        const isLost = snapshot.pods.some(({ spec }) => !there.has(spec?.nodeName ?? ''));
        return isLost ? { ...snapshot, certain: false } : snapshot;
      });
    case 'percentage-of-listed-pods':
      return seeing(controller, (snapshot) => ({ ...snapshot, nodes: snapshot.nodes.map(back) }));
    case 'whole-condition-array':
      return changingSteps(controller, (step) => [step.do === 'patch' ? asWholeArray(step) : step]);
    case 'away-when-sent':
      return changingSteps(controller, (step) => [withoutNode(step)]);
    case 'order-changes':
      return seeing(controller, (snapshot) => {
        const { conditions = [] } = snapshot.owner.object.status ?? {};
        return conditions.length === 0 ? snapshot : { ...snapshot, pods: snapshot.pods.map(lastFirst) };
      });
    case 'generation-ignored':
      return seeing(controller, (snapshot) => ({
        ...snapshot,
        pods: snapshot.pods.map(withoutGeneration),
        history: snapshot.history.map(withoutAnnotations),
      }));
    case 'deleted-revision-ignored':
      return seeing(controller, (snapshot) => ({
        ...snapshot,
        history: snapshot.history.map(withoutAnnotations),
      }));
    case 'adopted-revision-counts':
      return seeing(controller, withoutTemplates);
    case 'offers-before-recorded':
      return seeing(withoutPodsLeftBehind(controller), (snapshot) => {
        const { object } = snapshot.owner;
        const conditions = [...(object.status?.conditions ?? []), { type: 'atoll.dev/UpToDate', status: '' }];
        return {
          ...snapshot,
          owner: {
            ...snapshot.owner,
            object: { ...object, status: { ...object.status, conditions } as never },
          },
        };
      });
    case 'conditions-go-first':
      return {
        ...withoutPodsLeftBehind(controller),
        report: (found, decision, outcome, now) => {
          const isAsked = asks(found.owner.object as object as SmallDaemonSet);
          const snapshot = isAsked ? found : { ...found, pods: [] };
          const decided = isAsked ? decision : controller.decide(snapshot, now);
          return controller.report(snapshot, decided, outcome, now);
        },
      };
    case 'revision-not-read':
      return planning(seeing(controller, withoutTemplates), (plan) => ({
        ...plan,
        guards: plan.guards?.slice(0, 1) ?? [],
      }));
    case 'annotations-not-asked':
      return planning(controller, (plan) => ({
        ...plan,
        guards: plan.guards?.map((guard) => ({ ...guard, annotations: {} })) ?? [],
      }));
    case 'controller-not-awaited':
      return seeing(controller, (snapshot) => {
        const { owner } = snapshot;
        const { metadata } = owner.object;
        const status = { ...owner.object.status, observedGeneration: metadata.generation } as NonNullable<
          typeof owner.object.status
        >;
        return withoutTemplates({ ...snapshot, owner: { ...owner, object: { ...owner.object, status } } });
      });
    case undefined:
      return controller;
  }
}

/** Does not look for conditions on pods of a DaemonSet that shows nothing of ours: they would be found by it, whatever was written first. */
function withoutPodsLeftBehind(controller: Controller<DaemonSetSnapshot>): Controller<DaemonSetSnapshot> {
  const observe = (key: ObjectKey): DaemonSetSnapshot | undefined => {
    const snapshot = controller.observe(key);
    return snapshot !== undefined && isManaged(snapshot.owner.object) ? snapshot : undefined;
  };
  return { ...controller, observe };
}

type AnyPod = DaemonSetSnapshot['pods'][number];

function ready(pod: AnyPod): AnyPod {
  return { ...pod, status: { ...pod.status, conditions: readiness('True').status.conditions } };
}

function notEnding(pod: AnyPod): AnyPod {
  const { deletionTimestamp: _, ...metadata } = pod.metadata;
  return { ...pod, metadata };
}

function back(node: DaemonSetSnapshot['nodes'][number]): DaemonSetSnapshot['nodes'][number] {
  return { ...node, status: readiness('True').status };
}

/** Another pod is the first one, because it seems to be broken. */
function lastFirst(pod: AnyPod): AnyPod {
  if (pod.spec?.nodeName !== 'b' || imageOf(pod) !== 'v1') return pod;
  return { ...pod, status: { ...pod.status, conditions: readiness('False').status.conditions } };
}

function withoutNode(step: Step): Step {
  const { whileReady: _, nodeSeen: __, restsOn: ___, ...rest } = step;
  return rest as Step;
}

function withoutGeneration(pod: AnyPod): AnyPod {
  const { [podLabels.templateGeneration]: _, ...labels } = pod.metadata.labels ?? {};
  return { ...pod, metadata: { ...pod.metadata, labels } };
}

/** Otherwise a template that came back is known by the revision that has it, before all else. */
function withoutTemplates(snapshot: DaemonSetSnapshot): DaemonSetSnapshot {
  const history = snapshot.history.map((revision) => {
    const { data: _, ...rest } = revision;
    return rest;
  });
  return { ...snapshot, history };
}

/** Of a revision without them nothing is known. */
function withoutAnnotations(revision: DaemonSetSnapshot['history'][number]): typeof revision {
  const { annotations: _, ...metadata } = revision.metadata;
  return { ...revision, metadata };
}

function asWholeArray(step: Extract<Step, { readonly do: 'patch' }>): Step {
  const { resourceVersion: _, ...rest } = step;
  return { ...rest, patch: { type: 'merge', body: step.patch.body } } as unknown as Step;
}
