import { annotations, isReservedLabel, labels } from '@atoll/api';
import { ownField, type KubeObject, type Taint } from '@atoll/kube';
import { allLabels, plainTaint, sameTaint, sameTaints, taintId, type Attributes } from './attributes.ts';
import { formatRecord, notesOf, parseRecord, sameRecord, type Kept, type ReadRecord } from './record.ts';

/** What decides about a node's attributes. */
export interface AttributedNode extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[] };
}

/** How a node has to change. Null removes a key; taints are given whole, because the API server replaces the whole list. */
export interface NodeChange {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly taints?: readonly Taint[];
}

/**
 * Three ways: what the pool wants, what a pool put there before (the record), what the node carries. Wanted keys are
 * put back whatever they became; recorded keys that nobody wants any more go only where they still have the recorded
 * value, and the value comes back that they had before a pool took them; a key that the user set to the wanted value
 * himself stays his, and is left when the node leaves. A reserved label is put only where the node has none. Labels and taints
 * that are kept are left as they are, and noted.
 * undefined: the node is as it should be.
 */
export function changeOf(
  node: AttributedNode,
  wanted: Attributes,
  kept?: Kept,
  read: ReadRecord = parseRecord,
): NodeChange | undefined {
  const { previousAttributes, earlierAttributes } = annotations;
  const found = node.metadata.annotations ?? {};
  const record = read(found[previousAttributes]);
  const before = read(found[earlierAttributes]);
  const { hostNetwork } = before;
  const labelMap = reconcileMap(
    node.metadata.labels ?? {},
    allLabels({ ...record, ...(hostNetwork === undefined ? {} : { hostNetwork }) }),
    before.labels,
    allLabels(wanted),
    kept?.labels,
    isReservedLabel,
  );
  const annotationMap = reconcileMap(found, record.annotations, before.annotations, wanted.annotations);
  const taintList = reconcileTaints(
    node.spec?.taints ?? [],
    record.taints,
    before.taints,
    wanted.taints,
    kept?.taints ?? [],
  );
  const { [labels.hostNetwork]: mark, ...others } = labelMap.ours;
  // A record of an earlier release that has it stays as it is: no node is written for an upgrade.
  const isRecorded = hostNetwork !== true && record.labels[labels.hostNetwork] !== undefined;
  const isMarked = wanted.hostNetwork === true && mark !== undefined && !isRecorded;
  const ours: Attributes = {
    labels: isMarked ? others : labelMap.ours,
    annotations: annotationMap.ours,
    taints: taintList.ours,
  };
  const earlier: Attributes = {
    labels: labelMap.earlier,
    annotations: annotationMap.earlier,
    taints: taintList.earlier,
    ...(isMarked ? { hostNetwork: true } : {}),
  };
  const change: NodeChange = {
    labels: labelMap.changes,
    annotations: {
      ...annotationMap.changes,
      ...recordOf(previousAttributes, found, record, ours),
      ...recordOf(earlierAttributes, found, before, earlier),
      ...keptNotes(found, kept),
    },
    ...(taintList.changed === undefined ? {} : { taints: taintList.changed }),
  };
  return isNothing(change) ? undefined : change;
}

/** How a node in no pool has to change that keeps what an old operator's pool left there: only the note of that. */
export function changeOfKept({ metadata }: AttributedNode, kept: Kept): NodeChange | undefined {
  const change = { labels: {}, annotations: keptNotes(metadata.annotations ?? {}, kept) };
  return isNothing(change) ? undefined : change;
}

function keptNotes(found: Strings, kept: Kept | undefined): Notes {
  return Object.assign({}, ...Object.entries(notesOf(kept)).map(([key, text]) => noteOf(key, found, text)));
}

/** How a record has to change. One with the same content in another order stays as an old operator wrote it. */
function recordOf(key: string, found: Strings, recorded: Attributes, next: Attributes): Notes {
  return !isEmpty(next) && sameRecord(recorded, next) ? {} : noteOf(key, found, formatRecord(next));
}

function isEmpty({ labels: some, annotations: notes, taints, hostNetwork }: Attributes): boolean {
  return (
    hostNetwork === undefined &&
    [Object.keys(some), Object.keys(notes), taints].every(({ length }) => length === 0)
  );
}

type Notes = Readonly<Record<string, string | null>>;

/** How an annotation of ours has to change; undefined takes it off. */
function noteOf(key: string, found: Strings, text: string | undefined): Notes {
  return found[key] === text ? {} : { [key]: text ?? null };
}

type Strings = Readonly<Record<string, string>>;

interface MapChange {
  readonly changes: Readonly<Record<string, string | null>>;
  readonly ours: Strings;
  readonly earlier: Strings;
}

function reconcileMap(
  live: Strings,
  record: Strings,
  before: Strings,
  wanted: Strings,
  kept: Strings = {},
  isReserved: (key: string) => boolean = () => false,
): MapChange {
  const changes = handBack(live, record, before, wanted);
  const ours: Record<string, string> = {};
  const earlier: Record<string, string> = {};
  for (const [key, value] of Object.entries(wanted)) {
    const found = ownField(live, key);
    const recorded = ownField(record, key);
    if (isReserved(key) && isOwn(found, recorded)) continue;
    const isKept = Object.hasOwn(kept, key);
    if (isKept && recorded === undefined) continue;
    if (found !== value && !isKept) changes[key] = value;
    // The host-network marker was put on nodes by a webhook, which kept no record.
    if (found === value && recorded === undefined && key !== labels.hostNetwork) continue;
    ours[key] = value;
    // A value that somebody gives a key of ours meanwhile is drift, and not what the node had before.
    const own = recorded === undefined && found !== value ? found : ownField(before, key);
    if (own !== undefined) earlier[key] = own;
  }
  return { changes, ours, earlier };
}

/** Recorded keys that nobody wants any more, where they still have the recorded value: the value from before, or null. */
function handBack(
  live: Strings,
  record: Strings,
  before: Strings,
  wanted: Strings,
): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const [key, value] of Object.entries(record)) {
    if (Object.hasOwn(wanted, key) || ownField(live, key) !== value) continue;
    const own = ownField(before, key);
    if (own !== value) changes[key] = own ?? null;
  }
  return changes;
}

/** Whether the node has a value that no pool gave it. */
function isOwn(found: string | undefined, recorded: string | undefined): boolean {
  return found !== undefined && found !== recorded;
}

/** The labels of a pool that say what a node is. */
export function reservedLabels({ labels }: Attributes): readonly (readonly [key: string, value: string])[] {
  return Object.entries(labels).filter(([key]) => isReservedLabel(key));
}

/** Those of the {@link reservedLabels} of its pool for which this node keeps another value of its own. */
export function ownLabels(
  { metadata }: AttributedNode,
  reserved: ReturnType<typeof reservedLabels>,
  read: ReadRecord,
): readonly string[] {
  if (reserved.length === 0) return [];
  const record = read(metadata.annotations?.[annotations.previousAttributes]);
  return reserved.flatMap(([key, value]) => {
    const found = ownField(metadata.labels ?? {}, key);
    return found !== value && isOwn(found, ownField(record.labels, key)) ? [key] : [];
  });
}

interface TaintChange {
  readonly changed?: readonly Taint[];
  readonly ours: readonly Taint[];
  readonly earlier: readonly Taint[];
}

function reconcileTaints(
  live: readonly Taint[],
  record: readonly Taint[],
  before: readonly Taint[],
  wanted: readonly Taint[],
  kept: readonly Taint[],
): TaintChange {
  // Most nodes of a pool, and of large pools the most expensive part of a reconcile.
  const isSettled = before.length === 0 && kept.length === 0;
  if (isSettled && sameTaints(live, wanted) && sameTaints(record, wanted))
    return { ours: wanted, earlier: [] };
  const recorded = byId(record);
  const earlier = byId(before);
  const missing = byId(wanted);
  const untouched = byId(kept);
  const result: Taint[] = [];
  const set = new Set<string>();
  for (const taint of live) {
    const id = taintId(taint);
    const want = missing.get(id);
    const put = recorded.get(id);
    missing.delete(id);
    if (untouched.has(id)) {
      result.push(taint);
    } else if (want !== undefined) {
      if (sameTaint(taint, want)) {
        result.push(taint);
        continue;
      }
      set.add(id);
      result.push(want);
      if (put === undefined) earlier.set(id, plainTaint(taint));
    } else if (put === undefined || !sameTaint(taint, put)) {
      result.push(taint);
    } else {
      const own = earlier.get(id);
      if (own !== undefined) result.push(own);
    }
  }
  for (const [id, taint] of missing) {
    if (untouched.has(id)) continue;
    set.add(id);
    result.push(taint);
  }
  const ours = wanted.filter((taint) => set.has(taintId(taint)) || recorded.has(taintId(taint)));
  return {
    ours,
    earlier: ours.flatMap((taint) => earlier.get(taintId(taint)) ?? []),
    ...(sameTaints(live, result) ? {} : { changed: result }),
  };
}

function byId(taints: readonly Taint[]): Map<string, Taint> {
  return new Map(taints.map((taint) => [taintId(taint), taint]));
}

function isNothing(change: NodeChange): boolean {
  const maps = [change.labels, change.annotations];
  return change.taints === undefined && maps.every((map) => Object.keys(map).length === 0);
}
