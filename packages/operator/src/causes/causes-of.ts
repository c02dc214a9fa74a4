import { compareTexts, type Instant } from '@atoll/kube';
import { counted } from '../engine/problems/counted.ts';
import { causeOf } from './cause-of.ts';
import { isBroken, type Cause } from './cause.ts';
import { explainedByEvents, type FoundEvent } from './explained-by-events.ts';
import type { Finding } from './finding.ts';
import type { FoundPod } from './found-pod.ts';
import { refusedByConditions, refusedByEvents, type FoundWorkloadCondition } from './refused-pods.ts';

/** What was read of one workload. */
export interface FoundWorkload {
  readonly uid: string;
  /** How many pods it is to have. */
  readonly wanted: number;
  readonly conditions: readonly FoundWorkloadCondition[];
  readonly pods: readonly FoundPod[];
  /** Names of the pods that are waited for; absent: all of them. */
  readonly awaited?: readonly string[];
}

/** Pods that have one cause in common. */
interface Group {
  readonly cause: Cause;
  readonly pods: readonly FoundPod[];
  /** The most restarts of one of them. */
  readonly restarts: number;
}

const listed = 10;

/**
 * Why a workload is not healthy; undefined: nothing that was read shows it. That its pods cannot be created comes first, then the
 * cause that most pods have in common, of equals one that is broken. The same causes give the same words in whatever order pods
 * are listed, and however often their containers were restarted meanwhile, up to the next power of ten.
 *
 * @param events of the objects that {@link objectsToExplain} names, or none.
 */
export function causesOf(
  workload: FoundWorkload,
  events: readonly FoundEvent[],
  now: Instant,
): Finding | undefined {
  const eventsOf = (uid: string): readonly FoundEvent[] =>
    events.filter(({ regarding }) => regarding?.uid === uid);
  const { uid, conditions, pods } = workload;
  const groups = groupsOf(workload, now).map((group) => explained(group, eventsOf));
  const refused =
    refusedByConditions(conditions) ?? (isShort(workload) ? refusedByEvents(eventsOf(uid), pods) : undefined);
  if (refused !== undefined) {
    return { word: refused.word, message: `${refused.text}${others(groups)}`, pods: [], nodes: [] };
  }
  const [first, ...rest] = groups;
  if (first === undefined) return undefined;
  const nodes = first.pods.flatMap(({ spec }) => spec?.nodeName ?? []);
  return {
    word: first.cause.word,
    message: `${subject(first.pods)}: ${first.cause.text}${restarted(first)}${others(rest)}`,
    pods: first.pods.slice(0, listed).map(({ metadata }) => metadata.name),
    nodes: [...new Set(nodes)].sort().slice(0, listed),
  };
}

/**
 * The uids of objects whose events may show what their status does not: the workload where pods are missing, and one pod of those
 * that are most. At most two, because each is a question of its own.
 */
export function objectsToExplain(workload: FoundWorkload, now: Instant): readonly string[] {
  const { uid, conditions } = workload;
  const [first] = groupsOf(workload, now);
  const isUnexplained = isShort(workload) && refusedByConditions(conditions) === undefined;
  const pod = first?.cause.seeEvents === true ? first.pods[0] : undefined;
  return [...(isUnexplained ? [uid] : []), ...(pod === undefined ? [] : [pod.metadata.uid])];
}

function isShort({ pods, wanted }: FoundWorkload): boolean {
  return pods.length < wanted;
}

function groupsOf({ pods, awaited }: FoundWorkload, now: Instant): readonly Group[] {
  const groups = new Map<string, { cause: Cause; pods: FoundPod[]; restarts: number }>();
  const names = awaited === undefined ? undefined : new Set(awaited);
  const counting = pods.filter(({ metadata }) => names?.has(metadata.name) ?? true);
  for (const pod of counting.sort(byName)) {
    const cause = causeOf(pod, now);
    if (cause === undefined) continue;
    const id = `${cause.word} ${cause.text}`;
    const group = groups.get(id) ?? { cause, pods: [], restarts: 0 };
    group.pods.push(pod);
    group.restarts = Math.max(group.restarts, cause.restarts ?? 0);
    groups.set(id, group);
  }
  return [...groups.values()].sort(mostCommonFirst);
}

/** The events of one pod stand for all that have the same cause. */
function explained(group: Group, eventsOf: (uid: string) => readonly FoundEvent[]): Group {
  if (group.cause.seeEvents !== true) return group;
  const events = group.pods.flatMap(({ metadata }) => eventsOf(metadata.uid));
  return { ...group, cause: explainedByEvents(group.cause, events) };
}

function mostCommonFirst(a: Group, b: Group): number {
  return (
    b.pods.length - a.pods.length ||
    Number(isBroken(b.cause.word)) - Number(isBroken(a.cause.word)) ||
    compareTexts(a.cause.text, b.cause.text)
  );
}

/** `pod web-0 on node n1 and 3 more pods` */
function subject([first, ...rest]: readonly FoundPod[]): string {
  const { nodeName = '' } = first?.spec ?? {};
  const node = nodeName === '' ? '' : ` on node ${nodeName}`;
  const more = rest.length === 0 ? '' : ` and ${counted(rest.length, 'more pod')}`;
  return `pod ${first?.metadata.name ?? ''}${node}${more}`;
}

/** Not each restart is news: only how many digits their number has. */
function restarted({ restarts }: Group): string {
  if (restarts === 0) return '';
  if (restarts < 10) return ', and was restarted';
  return `, and was restarted ${10 ** Math.floor(Math.log10(restarts))} times or more`;
}

function others(groups: readonly Group[]): string {
  const count = groups.reduce((sum, { pods }) => sum + pods.length, 0);
  if (count === 0) return '';
  const words = [...new Set(groups.map(({ cause }) => cause.word))].slice(0, 3).join(', ');
  return `; ${counted(count, 'other pod')}: ${words}`;
}

function byName(a: FoundPod, b: FoundPod): number {
  return compareTexts(a.metadata.name, b.metadata.name);
}
