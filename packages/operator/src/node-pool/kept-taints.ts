import { annotations, type NodePool } from '@atoll/api';
import type { Stored, Taint } from '@atoll/kube';
import { attributesOf, sameTaint, type Attributes } from './attributes.ts';
import { membershipOf } from './membership.ts';
import type { AttributedNode } from './reconcile-node.ts';
import { formatKept, parseKept, parseRecord, type KeptTaints } from './record.ts';

/**
 * The pool's NoExecute taints that a member is left without, or with another value, because an old operator had left it so and
 * nobody has changed the pool since: to correct that would end pods only because Atoll was started
 * (docs/decisions/0013). It is noted on the node, and holds until the note goes or the pool wants another value.
 */
export function keptTaints(
  node: AttributedNode,
  pool: Stored<NodePool>,
  { taints }: Attributes = attributesOf(pool),
): KeptTaints {
  return { pool: pool.metadata.name, taints: taintsLeftOff(node, pool, taints) };
}

function taintsLeftOff(
  node: AttributedNode,
  pool: Stored<NodePool>,
  wanted: readonly Taint[],
): readonly Taint[] {
  const ends = ({ effect }: Taint): boolean => effect === 'NoExecute';
  const live = node.spec?.taints ?? [];
  const off = wanted.filter((taint) => ends(taint) && !live.some((each) => sameTaint(each, taint)));
  if (off.length === 0 || membershipOf(node).current !== pool.metadata.name) return [];
  const noted = parseKept(noteOf(node));
  // Noted for another pool: the node has moved since Atoll looks after it.
  if (noted !== undefined && noted.pool !== pool.metadata.name) return [];
  const isNoted = (taint: Taint): boolean => noted?.taints.some((each) => sameTaint(each, taint)) === true;
  return off.filter((taint) => isNoted(taint) || isFound(node, pool, taint));
}

/**
 * Whether whatever is kept on the pool's nodes is noted there. Until then the pool must not count as seen, because that
 * alone separates what was found from later changes.
 */
export function isAllNoted(nodes: readonly AttributedNode[], pool: Stored<NodePool>): boolean {
  const wanted = attributesOf(pool);
  return nodes.every((node) => {
    const kept = keptTaints(node, pool, wanted);
    return kept.taints.length === 0 || noteOf(node) === formatKept(kept);
  });
}

/** Whether somebody else had served this node for the pool, and left it without the taint. */
function isFound(node: AttributedNode, pool: Stored<NodePool>, taint: Taint): boolean {
  const { observedGeneration, nodes } = pool.status ?? {};
  if (observedGeneration !== undefined) return false;
  const record = node.metadata.annotations?.[annotations.previousAttributes];
  // An operator that was configured not to write nodes kept no record, and still counted them.
  if (record === undefined) return nodes?.includes(node.metadata.name) === true;
  return parseRecord(record).taints.some((before) => sameTaint(before, taint));
}

function noteOf(node: AttributedNode): string | undefined {
  return node.metadata.annotations?.[annotations.keptTaints];
}
