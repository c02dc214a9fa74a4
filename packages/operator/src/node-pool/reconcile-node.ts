import { annotations, labels } from '@atoll/api';
import type { KubeObject, Taint } from '@atoll/kube';
import { sameTaint, taintId, type Attributes } from './attributes.ts';
import { formatKept, formatRecord, parseRecord, sameRecord, type KeptTaints } from './record.ts';

/** What decides about a node's attributes. */
export interface AttributedNode extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[] };
}

/** How a node has to change. Null removes a key; taints are given whole, because the API server knows no part of the list. */
export interface NodeChange {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly taints?: readonly Taint[];
}

/**
 * Three ways: what the pool wants, what a pool put there before (the record), what the node carries. Wanted keys are
 * put back whatever they became; recorded keys that nobody wants any more go only where they still have the recorded
 * value; a key that the user set to the wanted value himself stays his, and is left when the node leaves. Taints that are
 * kept are left as they are, and noted.
 * undefined: the node is as it should be.
 */
export function changeOf(
  node: AttributedNode,
  wanted: Attributes,
  kept?: KeptTaints,
): NodeChange | undefined {
  const { previousAttributes, keptTaints } = annotations;
  const found = node.metadata.annotations ?? {};
  const recordText = found[previousAttributes];
  const record = parseRecord(recordText);
  const labelMap = reconcileMap(node.metadata.labels ?? {}, record.labels, wanted.labels);
  const annotationMap = reconcileMap(found, record.annotations, wanted.annotations);
  const taintList = reconcileTaints(
    node.spec?.taints ?? [],
    record.taints,
    wanted.taints,
    kept?.taints ?? [],
  );
  const next: Attributes = { labels: labelMap.ours, annotations: annotationMap.ours, taints: taintList.ours };
  const nextText = formatRecord(next);
  const changedAnnotations: Record<string, string | null> = { ...annotationMap.changes };
  if (nextText === undefined) {
    if (recordText !== undefined) changedAnnotations[previousAttributes] = null;
  } else if (!sameRecord(record, next)) {
    changedAnnotations[previousAttributes] = nextText;
  }
  const note = kept === undefined ? undefined : formatKept(kept);
  if (found[keptTaints] !== note) changedAnnotations[keptTaints] = note ?? null;
  const change: NodeChange = {
    labels: labelMap.changes,
    annotations: changedAnnotations,
    ...(taintList.changed === undefined ? {} : { taints: taintList.changed }),
  };
  return isNothing(change) ? undefined : change;
}

function reconcileMap(
  live: Readonly<Record<string, string>>,
  record: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): { readonly changes: Record<string, string | null>; readonly ours: Record<string, string> } {
  const changes: Record<string, string | null> = {};
  const ours: Record<string, string> = {};
  for (const [key, value] of Object.entries(record)) {
    if (!Object.hasOwn(wanted, key) && live[key] === value) changes[key] = null;
  }
  for (const [key, value] of Object.entries(wanted)) {
    if (live[key] !== value) changes[key] = value;
    // The host-network marker was put on nodes by a webhook, which kept no record.
    const isOurs = live[key] !== value || Object.hasOwn(record, key) || key === labels.hostNetwork;
    if (isOurs) ours[key] = value;
  }
  return { changes, ours };
}

function reconcileTaints(
  live: readonly Taint[],
  record: readonly Taint[],
  wanted: readonly Taint[],
  kept: readonly Taint[],
): { readonly changed?: readonly Taint[]; readonly ours: readonly Taint[] } {
  const recorded = new Map(record.map((taint) => [taintId(taint), taint]));
  const missing = new Map(wanted.map((taint) => [taintId(taint), taint]));
  const untouched = new Set(kept.map(taintId));
  const result: Taint[] = [];
  const set = new Set<string>();
  for (const taint of live) {
    const id = taintId(taint);
    const want = missing.get(id);
    const before = recorded.get(id);
    missing.delete(id);
    if (untouched.has(id)) {
      result.push(taint);
    } else if (want !== undefined && !sameTaint(taint, want)) {
      set.add(id);
      result.push(want);
    } else if (want !== undefined || before === undefined || !sameTaint(taint, before)) {
      result.push(taint);
    }
  }
  for (const [id, taint] of missing) {
    if (untouched.has(id)) continue;
    set.add(id);
    result.push(taint);
  }
  const ours = wanted.filter((taint) => set.has(taintId(taint)) || recorded.has(taintId(taint)));
  return set.size === 0 && result.length === live.length ? { ours } : { changed: result, ours };
}

function isNothing(change: NodeChange): boolean {
  const maps = [change.labels, change.annotations];
  return change.taints === undefined && maps.every((map) => Object.keys(map).length === 0);
}
