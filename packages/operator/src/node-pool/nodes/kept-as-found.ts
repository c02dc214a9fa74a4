import { annotations, isReservedLabel, type NodePool } from '@atoll/api';
import { ownField, type Stored, type Taint } from '@atoll/kube';
import { readOnce } from '../../children/read-once.ts';
import { attributesOf, sameTaint, type Attributes } from './attributes.ts';
import { membershipOf } from '../membership.ts';
import type { AttributedNode } from './reconcile-node.ts';
import { notesOf, parseKept, parseRecord, type Kept } from './record.ts';
import { listedIn } from './unnoted-nodes.ts';

/**
 * The pool's labels and NoExecute taints that a member is left without, or with another value, because an old operator had left it so and
 * nobody has changed the pool since: to correct that would end pods only because Atoll was started
 * (docs/decisions/0013). It is noted on the node, and holds until the note goes or the pool wants another value.
 */
export function keptAsFound(
  node: AttributedNode,
  pool: Stored<NodePool>,
  wanted: Attributes = attributesOf(pool),
): Kept {
  const { name } = pool.metadata;
  if (membershipOf(node).current !== name) return { pool: name, labels: {}, taints: [] };
  return { pool: name, labels: labelsLeftOff(node, pool, wanted), taints: taintsLeftOff(node, pool, wanted) };
}

function taintsLeftOff(
  node: AttributedNode,
  pool: Stored<NodePool>,
  { taints: wanted }: Attributes,
): readonly Taint[] {
  const ends = ({ effect }: Taint): boolean => effect === 'NoExecute';
  const has = (taints: readonly Taint[] | undefined, taint: Taint): boolean =>
    taints?.some((each) => sameTaint(each, taint)) === true;
  const off = wanted.filter((taint) => ends(taint) && !has(node.spec?.taints, taint));
  return whereKept(node, pool, annotations.keptTaints, off, ({ taints }, taint) => has(taints, taint));
}

/** Pods select nodes by labels, and the pods of a DaemonSet end where it selects their node no more. */
function labelsLeftOff(
  node: AttributedNode,
  pool: Stored<NodePool>,
  { labels: wanted }: Attributes,
): Readonly<Record<string, string>> {
  const found = node.metadata.labels ?? {};
  const off = Object.entries(wanted).filter(([key, value]) => {
    const live = ownField(found, key);
    return live !== value && (live === undefined || !isReservedLabel(key));
  });
  const kept = whereKept(
    node,
    pool,
    annotations.keptLabels,
    off,
    ({ labels }, [key, value]) => ownField(labels, key) === value,
    wasCounted(pool),
  );
  return Object.fromEntries(kept);
}

/** Whether an old operator served the pool: it counts the nodes of one that has any. */
export function wasCounted({ status }: Stored<NodePool>): boolean {
  return status?.readyNodeNum !== undefined && status.observedGeneration === undefined;
}

/** Those of `off` that are noted, or that an old operator had left off; `canBeFound`: there may have been one. */
function whereKept<T>(
  node: AttributedNode,
  pool: Stored<NodePool>,
  note: string,
  off: readonly T[],
  has: (attributes: Pick<Attributes, 'labels' | 'taints'>, each: T) => boolean,
  canBeFound = true,
): readonly T[] {
  if (off.length === 0) return [];
  const noted = parseKept(node.metadata.annotations?.[note]) ?? listedIn(pool, node);
  // Noted for another pool, or for none: the node has moved since Atoll looks after it.
  if (noted !== undefined && noted.pool !== pool.metadata.name) return [];
  return off.filter((each) => {
    const isNoted = noted !== undefined && has(noted, each);
    return isNoted || (canBeFound && isFound(node, pool, (record) => has(record, each)));
  });
}

/** Of thousands of nodes each is looked for. */
const namesIn = readOnce((names: readonly string[]): ReadonlySet<string> => new Set(names));

/** Whether somebody else had served this node for the pool, and left it so. */
function isFound(
  node: AttributedNode,
  pool: Stored<NodePool>,
  isIn: (record: Attributes) => boolean,
): boolean {
  const { observedGeneration, nodes } = pool.status ?? {};
  if (observedGeneration !== undefined) return false;
  const record = node.metadata.annotations?.[annotations.previousAttributes];
  // An operator that was configured not to write nodes kept no record, and still counted them.
  if (record === undefined) return nodes !== undefined && namesIn(nodes).has(node.metadata.name);
  return isIn(parseRecord(record));
}

/**
 * The labels that an old operator's pool left on a node which is in no pool now, as OpenYurt 1.7 does. They stay where they were so before
 * Atoll looked at any pool (`isFound`), and where that is noted. undefined: nothing is kept.
 */
export function keptOnLeaver(node: AttributedNode, isFound: boolean): Kept | undefined {
  const { previousAttributes, earlierAttributes, keptLabels } = annotations;
  const { annotations: notes = {}, labels: found = {} } = node.metadata;
  if (!isFound && parseKept(notes[keptLabels])?.pool !== '') return undefined;
  const before = parseRecord(notes[earlierAttributes]).labels;
  const left = Object.entries(parseRecord(notes[previousAttributes]).labels).filter(
    ([key, value]) => ownField(found, key) === value && ownField(before, key) !== value,
  );
  return left.length === 0 ? undefined : { pool: '', labels: Object.fromEntries(left), taints: [] };
}

export function isNoted({ metadata }: AttributedNode, kept: Kept): boolean {
  return Object.entries(notesOf(kept)).every(
    ([note, text]) => text === undefined || metadata.annotations?.[note] === text,
  );
}
