import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  extendedDaemonSetStates as states,
  extendedDaemonsetSettings,
  replicaSetConditions,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
  type ExtendedDaemonSetReplicaSetStatus,
} from '@atoll/api';
import {
  controllerOf,
  groupResourceOf,
  instantOf,
  isReady,
  nodes,
  parseDuration,
  pods,
  type Instant,
  type Node,
  type Pod,
} from '@atoll/kube';
import { earliest } from '../../../src/engine/earliest.ts';
import { sameJson } from '../../../src/engine/same-meaning.ts';
import { trueCondition } from '../../../src/extended-daemon-set/replica-sets/conditions.ts';
import type { Store } from '../../model/store.ts';
import { slotOf } from '../../model/store.ts';
import { objectsOf } from '../../world.ts';
import type { Effect, Planned, Reported } from '../../world.ts';
import {
  agentIn,
  agentKnown,
  broken,
  cpuFor,
  cpuOf,
  crashing,
  downIn,
  hasAnnotation,
  imageIn,
  isGoing,
  isToRunPod,
  nodeOfPod,
  podsIn,
  replicaSetNamed,
  replicaSetOfPod,
  settingNamesIn,
  unpullable,
} from './extended-daemon-set-objects.ts';
import { isKeptOn, isRefusedOn, missingWhereRefused, type RefusedPods } from './refused-pods.ts';

/** What the rules need to know of the past. */
export interface AgentMemory {
  /** Nodes that were away and have had no available pod since: they count no more (F3). */
  readonly lapsed: readonly string[];
  /** The canary that `canary-unpaused` was written for. */
  readonly unpaused: string | undefined;
  readonly settings: SettingMemory;
}

/** Of each setting that is or was there, by its name: that it is there, or since when it is gone. */
type SettingMemory = Readonly<Record<string, 'there' | Instant>>;

export const agentMemory = {
  begin: { lapsed: [], unpaused: undefined, settings: {} } as AgentMemory,
  next: (before: object, store: Store, now: Instant): AgentMemory => {
    const { lapsed, unpaused, settings } = before as AgentMemory;
    const down = new Set(downIn(store));
    const still = objectsOf(store, nodes).filter(
      (node) => !isReady(node) || (lapsed.includes(node.metadata.name) && down.has(node.metadata.name)),
    );
    const agent = agentIn(store);
    const isUnpaused = hasAnnotation(agent, 'canaryUnpaused');
    return {
      lapsed: still.map(({ metadata }) => metadata.name),
      unpaused: isUnpaused ? (unpaused ?? agent?.status?.canary?.replicaSet) : undefined,
      settings: settingsAfter(settings, store, now),
    };
  },
};

function settingsAfter(before: SettingMemory, store: Store, now: Instant): SettingMemory {
  // Where nobody noted that one was back, as while no operator ran, it is gone since before that.
  const gone = Object.entries(before).map(
    ([name, was]) => [name, was === 'there' ? (shownGone(store, name) ?? now) : was] as const,
  );
  const there = settingNamesIn(store).map((name) => [name, 'there'] as const);
  return Object.fromEntries([...gone, ...there]);
}

/** Since when the status of a replica set shows that a setting is gone; undefined: none does. */
function shownGone(store: Store, name: string): Instant | undefined {
  return earliest(
    shownIn(store).map((message) => instantOf(message.match(`(?:^|, )${name} since ([^, ]+)`)?.[1])),
  );
}

/** Messages of the conditions that settings are gone. */
function shownIn(store: Store): readonly string[] {
  return objectsOf(store, extendedDaemonSetReplicaSets).flatMap((each) => {
    const shown = trueCondition(each, replicaSetConditions.settingsGone);
    return shown === undefined ? [] : [shown.message ?? ''];
  });
}

function namesIn(message: string): readonly string[] {
  return message.split(', ').map((each) => each.split(' ')[0] ?? '');
}

/** S1 to S8 of reference/reliability.md 3.4. `budget`: how many nodes may be down by our doing; `refused`: pods that are never taken. */
export function wrongEffectOf(
  budget: number,
  durationMs: number,
  refused: RefusedPods,
): (effect: Effect) => string | undefined {
  return (effect) => {
    const { request } = effect;
    const isPod = request.resource.plural === 'pods';
    if (isPod && request.verb === 'create') return wrongPod(effect);
    if (isPod && request.verb === 'delete') return inVain(effect, refused) ?? wrongDeletion(effect, budget);
    if (request.resource.plural === extendedDaemonSets.plural) return wrongStatus(effect, durationMs);
    return request.resource.plural === extendedDaemonSetReplicaSets.plural ? endsPods(effect) : undefined;
  };
}

/** The garbage collector ends the pods of a replica set that is deleted, all at once, unless it is to release them. */
function endsPods({ before, after, request }: Effect): string | undefined {
  if (request.verb !== 'delete' || request.options.propagationPolicy === 'Orphan') return undefined;
  const { name } = request.key;
  const ended = podsIn(after).find((pod) => replicaSetOfPod(before, pod)?.metadata.name === name);
  return ended === undefined ? undefined : `${name} is deleted, which has ${ended.metadata.name}`;
}

/** S1, S2, S4. */
function wrongPod({ before, after, cached }: Effect): string | undefined {
  const known = new Set(podsIn(before).map(({ metadata }) => metadata.uid));
  const made = podsIn(after).find(({ metadata }) => !known.has(metadata.uid));
  if (made === undefined) return undefined;
  const { name } = made.metadata;
  const node = nodeOfPod(made);
  if (podsIn(before).some((pod) => nodeOfPod(pod) === node))
    return `pod ${name} is made on ${node}, which has one`;
  const replicaSet = replicaSetOfPod(before, made)?.metadata.name;
  const status = agentIn(before)?.status;
  const isOfCanary = replicaSet !== undefined && status?.canary?.replicaSet === replicaSet;
  const isCanaryNode = status?.canary?.nodes?.includes(node) === true;
  if (replicaSet !== status?.activeReplicaSet && !(isOfCanary && isCanaryNode))
    return `pod ${name} is made on ${node} outside the nodes of its canary`;
  return heldOn(cached, isCanaryNode);
}

/** The pod's successor would be refused. */
function inVain({ before, request }: Effect, refused: RefusedPods): string | undefined {
  if (!('key' in request)) return undefined;
  const pod = before.objects.get(slotOf(pods, request.key))?.object as Pod | undefined;
  if (pod === undefined || !isRefusedOn(before, nodeOfPod(pod), refused)) return undefined;
  return `pod ${request.key.name} was deleted, and the one that is to replace it is refused`;
}

/** S2, S4, S5, and only own pods. */
function wrongDeletion(effect: Effect, budget: number): string | undefined {
  const { before, after, request, cached, memory } = effect;
  if (!('key' in request)) return undefined;
  const pod = before.objects.get(slotOf(pods, request.key))?.object as Pod | undefined;
  if (pod === undefined) return undefined;
  const { name } = pod.metadata;
  const replicaSet = replicaSetOfPod(before, pod)?.metadata.name;
  if (replicaSet === undefined && !isLeftBehind(pod))
    return `pod ${name} was deleted, which is not of the object`;
  const node = nodeOfPod(pod);
  const status = agentIn(before)?.status;
  const isCanaryNode = status?.canary?.nodes?.includes(node) === true;
  const wanted = isCanaryNode ? status.canary?.replicaSet : status?.activeReplicaSet;
  const serves = objectsOf(before, nodes).some((each) => each.metadata.name === node && isToRunPod(each));
  const isAsAsked = cpuOf(pod) === cpuFor(cached.known, node);
  if (replicaSet === wanted && serves && isAsAsked) return `pod ${name} was deleted, which ${node} is to run`;
  const held = heldOn(cached, isCanaryNode) ?? (serves ? endsBeforeTime(pod, effect) : undefined);
  if (held !== undefined || isCanaryNode) return held;
  const unrecorded = serves ? inUnrecordedBatch(effect, name) : undefined;
  if (unrecorded !== undefined) return unrecorded;
  const { lapsed } = memory as AgentMemory;
  const canaryNodes = new Set(status?.canary?.nodes);
  const count = (store: Store): number =>
    downIn(store).filter((each) => !lapsed.includes(each) && !canaryNodes.has(each)).length;
  const [was, is] = [count(before), count(after)];
  return is > was && is > budget ? `${is} nodes are down at once, and ${budget} may be` : undefined;
}

/** Its setting, as its label names it, was taken back less than ten seconds ago, and may come back. */
function endsBeforeTime(pod: Pod, { now, memory, late }: Effect): string | undefined {
  const gone = (memory as AgentMemory).settings[pod.metadata.labels?.[labels.settingName] ?? ''];
  if (gone === undefined || gone === 'there' || late || gone + 10_000 <= now) return undefined;
  return `pod ${pod.metadata.name} was deleted, and its setting has been gone for ${(now - gone) / 1_000} s`;
}

/** It is recorded when a batch is deleted, and nothing was made in the place of what went since then. */
function inUnrecordedBatch({ before, now, late }: Effect, name: string): string | undefined {
  const agent = agentIn(before);
  if (agent === undefined || agent.spec.strategy.reconcileFrequency === '1ms' || late) return undefined;
  const active = replicaSetNamed(before, agent.status?.activeReplicaSet);
  const isRecord = ({ type }: { readonly type: string }): boolean =>
    type === replicaSetConditions.podDeletion;
  const at = Date.parse(active?.status?.conditions?.find(isRecord)?.lastUpdateTime ?? '');
  if (Math.floor(now / 1_000) * 1_000 !== at) return `pod ${name} was deleted, and its batch is not recorded`;
  const isSince = (pod: Pod): boolean =>
    replicaSetOfPod(before, pod) === active && Date.parse(pod.metadata.creationTimestamp ?? '') >= at;
  return podsIn(before).some(isSince) ? `pod ${name} was deleted before the interval is over` : undefined;
}

/** Of the DaemonSet that is gone, and marked as one of the object. */
function isLeftBehind(pod: Pod): boolean {
  return controllerOf(pod) === undefined && pod.metadata.labels?.[labels.name] === 'agent';
}

/** What is known to be paused or frozen when a pod is made or deleted. */
function heldOn({ known }: Effect['cached'], isCanaryNode: boolean): string | undefined {
  const agent = agentKnown(known);
  if (isCanaryNode) {
    const isPaused = hasAnnotation(agent, 'canaryPaused') && !hasAnnotation(agent, 'canaryUnpaused');
    return isPaused ? 'the pods of a paused canary change' : undefined;
  }
  return hasAnnotation(agent, 'rolloutFrozen') ? 'pods change while the rollout is frozen' : undefined;
}

/** S3, S6, S7, S8, and that `canary-unpaused` is bound to its canary. */
function wrongStatus(effect: Effect, durationMs: number): string | undefined {
  const { before, after, memory } = effect;
  const [was, is] = [agentIn(before), agentIn(after)];
  if (was?.status === undefined || is?.status === undefined || sameJson(was.status, is.status))
    return undefined;
  const { canary, state = '', activeReplicaSet } = is.status;
  const isCanaryState = state === states.canary || state === states.canaryPaused;
  const isCanary = canary !== undefined && canary !== null;
  if (isCanary !== isCanaryState)
    return `the state is ${state}, and ${isCanary ? 'there is a' : 'there is no'} canary`;
  const { unpaused } = memory as AgentMemory;
  if (isCanary && unpaused !== undefined && canary.replicaSet !== unpaused)
    return `canary ${canary.replicaSet ?? ''} begins, and canary-unpaused was written for ${unpaused}`;
  const isPromotion =
    was.spec.strategy.canary !== undefined &&
    activeReplicaSet !== was.status.activeReplicaSet &&
    replicaSetNamed(before, was.status.activeReplicaSet) !== undefined;
  return isPromotion ? wrongPromotion(effect, was, activeReplicaSet, durationMs) : undefined;
}

function wrongPromotion(
  { before, cached, now }: Effect,
  agent: ExtendedDaemonSet,
  promoted: string,
  durationMs: number,
): string | undefined {
  const replicaSet = replicaSetNamed(before, promoted);
  if (replicaSet === undefined) return `${promoted} is promoted, and is not there`;
  if (imageIn(replicaSet.spec.template) !== imageIn(agent.spec.template))
    return `${promoted} is promoted, and the spec asks for another template`;
  const conditionOf = (type: string) => replicaSet.status?.conditions?.find((each) => each.type === type);
  if (conditionOf(replicaSetConditions.canaryFailed)?.status === 'True')
    return `${promoted} is promoted, which has failed`;
  if (agent.metadata.annotations?.[annotations.canaryValid] === promoted) return undefined;
  const known = agentKnown(cached.known);
  if (hasAnnotation(known, 'canaryPaused') && !hasAnnotation(known, 'canaryUnpaused'))
    return `${promoted} is promoted while it is known to be paused`;
  const created = Date.parse(replicaSet.metadata.creationTimestamp ?? '');
  if (now <= created + durationMs) return `${promoted} is promoted before its time`;
  if (conditionOf(replicaSetConditions.active) !== undefined) return undefined;
  const { canary } = agent.status ?? {};
  const own = canary?.replicaSet === promoted ? (canary.nodes ?? []) : [];
  if (own.length === 0) return `${promoted} is promoted without a canary node`;
  const isServed = (node: string): boolean =>
    podsIn(before).some(
      (pod) =>
        nodeOfPod(pod) === node &&
        !isGoing(pod) &&
        isReady(pod) &&
        replicaSetOfPod(before, pod)?.metadata.name === promoted,
    );
  const bare = own.find((node) => !isServed(node));
  return bare === undefined ? undefined : `${promoted} is promoted without a Ready pod on ${bare}`;
}

/** P: S5, by what the caches show. */
export function wrongPlanOf(planned: Planned): string | undefined {
  return healthyBeforeBroken(planned) ?? beyondSlowStart(planned);
}

/**
 * Of the pods of the active replica set no more are made within an interval than slow start allows by then. What a process made that died, or a successor has not seen,
 * may come on top of these.
 */
function beyondSlowStart({ known, plan, now }: Planned): string | undefined {
  const agent = agentKnown(known);
  const { activeReplicaSet, canary } = agent?.status ?? {};
  const ofName = { namespace: 'edge', name: activeReplicaSet ?? '' };
  const active = known.get(slotOf(extendedDaemonSetReplicaSets, ofName))?.object as
    ExtendedDaemonSetReplicaSet | undefined;
  if (agent === undefined || active === undefined) return undefined;
  const { reconcileFrequency = '', rollingUpdate = {} } = agent.spec.strategy;
  const { slowStartIntervalDuration = '', slowStartAdditiveIncrease } = rollingUpdate;
  const since = instantOf(trueCondition(active, replicaSetConditions.active)?.lastTransitionTime) ?? now;
  const intervals = Math.floor((now - since) / parseDuration(slowStartIntervalDuration));
  const allowed = (1 + intervals) * Number(slowStartAdditiveIncrease);
  const isOwn = (pod: Pod): boolean =>
    controllerOf(pod)?.uid === active.metadata.uid && canary?.nodes?.includes(nodeOfPod(pod)) !== true;
  const begin = now - parseDuration(reconcileFrequency);
  const recent = [...known]
    .flatMap(([slot, { object }]) => (slot.startsWith('pods|') ? [object as Pod] : []))
    .filter((pod) => isOwn(pod) && Date.parse(pod.metadata.creationTimestamp ?? '') > begin);
  const made = plan.stages
    .flatMap(({ steps }) => steps)
    .filter((step) => step.do === 'create' && step.resource.plural === 'pods' && isOwn(step.object as Pod));
  return made.length > Math.max(0, allowed - recent.length)
    ? `pods made: ${recent.length} in the interval before and ${made.length} now, and slow start allows ${allowed}`
    : undefined;
}

/** Broken pods first: no healthy pod goes while a broken one on a Ready node stays. */
function healthyBeforeBroken({ known, plan }: Planned): string | undefined {
  const deleted = plan.stages
    .filter(({ name }) => name === 'delete outdated pods')
    .flatMap(({ steps }) => steps)
    .flatMap((step) => (step.do === 'delete' ? [slotOf(pods, step.key)] : []));
  const status = agentKnown(known)?.status;
  const podAt = (slot: string): Pod | undefined => known.get(slot)?.object as Pod | undefined;
  const healthy = deleted.find((slot) => {
    const pod = podAt(slot);
    return pod !== undefined && isReady(pod);
  });
  if (healthy === undefined) return undefined;
  const activeUid = [...known].find(([slot]) => slot.endsWith(`/${status?.activeReplicaSet ?? ''}`))?.[1]
    .object.metadata.uid;
  const left = [...known.keys()].find((slot) => {
    const pod = slot.startsWith('pods|') ? podAt(slot) : undefined;
    if (pod === undefined || deleted.includes(slot) || isReady(pod) || isGoing(pod)) return false;
    const node = known.get(slotOf(nodes, { name: nodeOfPod(pod) }))?.object;
    const isOutdated = pod.metadata.ownerReferences?.every(({ uid }) => uid !== activeUid) === true;
    const isCanarys = status?.canary?.nodes?.includes(nodeOfPod(pod)) === true;
    return isOutdated && !isCanarys && node !== undefined && isReady(node as Node);
  });
  return left === undefined ? undefined : `${healthy} is deleted before ${left}, which is broken`;
}

/** P: no setting is shown as gone that is there: its time would count on when it goes again. */
export function wrongReportOf({ writes, known, unread }: Reported): string | undefined {
  if (unread.has(groupResourceOf(extendedDaemonsetSettings))) return undefined;
  const shown = writes
    .flatMap(({ status }) => (status as ExtendedDaemonSetReplicaSetStatus).conditions ?? [])
    .filter(({ type, status }) => type === replicaSetConditions.settingsGone && status === 'True')
    .flatMap(({ message = '' }) => namesIn(message));
  const there = shown.find((name) =>
    known.has(slotOf(extendedDaemonsetSettings, { namespace: 'edge', name })),
  );
  return there === undefined
    ? undefined
    : `a replica set shows that setting ${there} is gone, which is there`;
}

/** L1, L2 and L3: what can run runs, and the status reports it. */
export function missingIn(store: Store, refused: RefusedPods): string | undefined {
  const agent = agentIn(store);
  const wanted = agent === undefined ? '' : imageIn(agent.spec.template);
  const status = agent?.status;
  const canary = status?.canary ?? undefined;
  const asksPause = hasAnnotation(agent, 'canaryPaused') && !hasAnnotation(agent, 'canaryUnpaused');
  const isBad = unhealthy.includes(wanted);
  const isTried = agent?.spec.strategy.canary !== undefined && !isValidated(store, agent, wanted);
  if (isTried && wanted === crashing && !asksPause) return 'a canary whose pods crash has not failed';
  const active = replicaSetNamed(store, status?.activeReplicaSet);
  const isNew = active !== undefined && imageIn(active.spec.template) !== wanted;
  const isManual = agent?.spec.strategy.canary?.validationMode === 'manual';
  const isOpen = isTried && (asksPause || isBad || (isManual && isNew));
  if (isOpen !== (canary !== undefined)) return isOpen ? 'there is no canary' : 'there is a canary';
  const isFrozen = hasAnnotation(agent, 'rolloutFrozen');
  const isStuck = asksPause || (wanted === unpullable && !hasAnnotation(agent, 'canaryUnpaused'));
  const state = isOpen
    ? isStuck
      ? states.canaryPaused
      : states.canary
    : isFrozen
      ? states.rolloutFrozen
      : states.running;
  if (status?.state !== state) return `the state is ${String(status?.state)}, not ${state}`;
  const image = isOpen && active !== undefined ? imageIn(active.spec.template) : wanted;
  const isRefused = (node: string): boolean =>
    isRefusedOn(store, node, refused) || isKeptOn(store, node, refused);
  const lack = lackIn(store, image, isRefused);
  const unsaid = missingWhereRefused(store, refused);
  if (unsaid !== undefined) return unsaid;
  const isExcused = isFrozen || (unhealthy.includes(image) && lack?.endsWith('no pod') === false);
  if (lack !== undefined && !isExcused) return lack;
  const untrue = untrueOfSettings(store);
  if (untrue !== undefined) return untrue;
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status;
  const isWhole = objectsOf(store, nodes).every((node) => isReady(node) && !isRefused(node.metadata.name));
  const isDone = !isOpen && lack === undefined && isWhole;
  return (ready === 'True') === isDone ? undefined : `the object has Ready=${String(ready)}`;
}

/** What replica sets show as gone are the settings of pods that are there, and not there themselves. */
function untrueOfSettings(store: Store): string | undefined {
  const there = settingNamesIn(store);
  const carried = podsIn(store).flatMap(({ metadata }) => metadata.labels?.[labels.settingName] ?? []);
  const gone = new Set(carried.filter((name) => !there.includes(name)));
  const shown = shownIn(store).flatMap(namesIn);
  return shown.every((name) => gone.has(name)) ? undefined : 'a replica set shows that a setting is gone';
}

const unhealthy: readonly string[] = [broken, unpullable, crashing];

/** A person has promoted the canary of this image. */
function isValidated(store: Store, agent: ExtendedDaemonSet | undefined, image: string): boolean {
  const valid = replicaSetNamed(store, agent?.metadata.annotations?.[annotations.canaryValid]);
  return valid !== undefined && imageIn(valid.spec.template) === image;
}

/** What a node that is Ready lacks and the active replica set is to serve. */
function lackIn(store: Store, image: string, isRefused: (node: string) => boolean): string | undefined {
  const canaryNodes = agentIn(store)?.status?.canary?.nodes ?? [];
  for (const each of objectsOf(store, nodes).filter(isReady)) {
    const { name } = each.metadata;
    if (!isToRunPod(each)) continue;
    if (canaryNodes.includes(name) || isRefused(name)) continue;
    const pod = podsIn(store).find((each) => nodeOfPod(each) === name);
    if (pod === undefined || isGoing(pod)) return `${name} has no pod`;
    if (imageIn(pod) !== image || !isReady(pod)) return `${name} does not run ${image}`;
    if (cpuOf(pod) !== cpuFor(store.objects, name)) return `${name} has a pod with other resources`;
  }
  return undefined;
}
