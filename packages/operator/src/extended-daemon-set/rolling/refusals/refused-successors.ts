import type { ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { compareTexts } from '@atoll/kube';
import type { ApiError, Instant, Stored } from '@atoll/kube';
import { saysNothing } from '../../../engine/executor/answers/judge-trial.ts';
import { isOverdrawn } from '../../../engine/executor/answers/overdrawn-quota.ts';
import { refusedAmong, type RefusedTrials } from '../../../engine/refused-trials.ts';
import { turnAt } from '../../../engine/rollout/deleted-in-turn.ts';
import type { NodeTarget } from '../../fleet/nodes/node-targets.ts';
import { variantOf } from '../../overrides/pod-variant.ts';
import { takenVariants } from './taken-variants.ts';
import { trialName } from './trial-name.ts';

/**
 * A node whose pod stays, outdated or ended, because the API server refused to delete it or, when it was tried, the one that is to replace it; or that has
 * none, because that was refused.
 */
export interface RefusedNode {
  readonly node: NodeTarget;
  readonly trial: string;
  readonly answer: ApiError;
  /** In which turn it was refused first; undefined: that of a deletion is not remembered. */
  readonly turn?: number | undefined;
}

/** So many nodes of one variant may be refused in a turn. Where as many were and none was taken, all others count as refused too. */
export const refusedInATurn = 3;

/** What was refused when the pods were tried that are to replace outdated ones (decision 20). */
export interface RefusedSuccessors {
  /** By node, in the order of their names: refused there. */
  readonly known: ReadonlyMap<string, RefusedNode>;
  /** Nodes of a variant that was refused on several others and taken on none lately, with the answer about one of those. */
  readonly believed: ReadonlyMap<string, RefusedNode>;
  /** Nodes on which nothing is tried in this turn: as many of their variant were refused as may be. */
  readonly later: ReadonlySet<string>;
  /**
   * Variants that were refused on some node, tried or when they were made, with how many more may be refused in this turn. The pod of each node is tried by
   * itself: of all other variants one is tried for all.
   */
  readonly doubtful: ReadonlyMap<string, number>;
}

const nothingRefused: RefusedSuccessors = {
  known: new Map(),
  believed: new Map(),
  later: new Set(),
  doubtful: new Map(),
};

export function refusedSuccessors(
  replicaSet: Stored<ExtendedDaemonSetReplicaSet>,
  targets: readonly NodeTarget[],
  refused: RefusedTrials,
  creations: ReadonlyMap<string, RefusedNode>,
  { lastBatchAt, now }: { readonly lastBatchAt: Instant | undefined; readonly now: Instant },
): RefusedSuccessors {
  if (refused.size === 0) return nothingRefused;
  const outdated = targets.filter(isOutdated);
  const known = knownAmong(outdated, replicaSet, refused);
  const turns = turnsByVariant(known, creations);
  if (turns.size === 0) return nothingRefused;
  const isKnown = new Set(known.map(({ node }) => node.target.id));
  const others = outdated.filter(
    ({ target, overrides }) => !isKnown.has(target.id) && turns.has(variantOf(overrides)),
  );
  const doubtful = leftInTurn(turns, now);
  const isLater = ({ overrides }: NodeTarget): boolean => doubtful.get(variantOf(overrides)) === 0;
  const taken = takenVariants(targets, replicaSet, { lastBatchAt, now });
  return {
    known: new Map(known.map((each) => [each.node.target.id, each])),
    believed: believedAmong(others, known, taken),
    later: new Set(others.filter(isLater).map(({ target }) => target.id)),
    doubtful,
  };
}

/** By the names of the nodes. */
function knownAmong(
  outdated: readonly NodeTarget[],
  replicaSet: Stored<ExtendedDaemonSetReplicaSet>,
  refused: RefusedTrials,
): readonly RefusedNode[] {
  const found = refusedAmong(outdated, refused, (node) => trialName(replicaSet, node));
  const nodes = found.map(({ of: node, ...refusal }) => ({ node, ...refusal }));
  return inOneVoice(nodes.sort((a, b) => compareTexts(a.node.target.id, b.node.target.id)));
}

/** Of each variant that was refused somewhere, the turns in which its trials were refused first; none of one that was refused only when it was made. */
function turnsByVariant(
  known: readonly RefusedNode[],
  creations: ReadonlyMap<string, RefusedNode>,
): ReadonlyMap<string, readonly (number | undefined)[]> {
  const made = [...creations.values()].filter(
    ({ answer }) => !saysNothing(answer) || isOverdrawn(answer.message, true),
  );
  const turns = new Map<string, (number | undefined)[]>(
    made.map(({ node }) => [variantOf(node.overrides), []]),
  );
  for (const { node, turn } of known) {
    const variant = variantOf(node.overrides);
    turns.set(variant, [...(turns.get(variant) ?? []), turn]);
  }
  return turns;
}

/** How many more of each variant may be refused in this turn. */
function leftInTurn(
  turns: ReadonlyMap<string, readonly (number | undefined)[]>,
  now: Instant,
): ReadonlyMap<string, number> {
  const current = turnAt(now);
  const left = (all: readonly (number | undefined)[]): number =>
    Math.max(0, refusedInATurn - all.filter((turn) => turn === current).length);
  return new Map([...turns].map(([variant, all]) => [variant, left(all)]));
}

/** Of the other nodes those whose variant was refused so often that it counts as refused there too, with the first of the answers. */
function believedAmong(
  others: readonly NodeTarget[],
  known: readonly RefusedNode[],
  taken: ReadonlySet<string>,
): ReadonlyMap<string, RefusedNode> {
  const byVariant = Map.groupBy(known, ({ node }) => variantOf(node.overrides));
  return new Map(
    others.flatMap((node): readonly (readonly [string, RefusedNode])[] => {
      const variant = variantOf(node.overrides);
      const of = byVariant.get(variant) ?? [];
      const [first] = of;
      const isBelieved = of.length >= refusedInATurn && !taken.has(variant);
      return isBelieved && first !== undefined ? [[node.target.id, { ...first, node }]] : [];
    }),
  );
}

/** Whether the pod of a node is to be replaced. */
export function isOutdated({ pods: { kept }, matches }: NodeTarget): boolean {
  return kept !== undefined && !matches;
}

/** The answers that differ in the name of the pod alone are one: people read one message with the names of the nodes. */
function inOneVoice(nodes: readonly RefusedNode[]): readonly RefusedNode[] {
  const said = new Map<string, ApiError>();
  return nodes.map((each) => {
    const { code, reason, message, status } = each.answer;
    const pod = status?.details?.name ?? '';
    const meaning = `${code} ${reason} ${pod === '' ? message : message.replaceAll(pod, '')}`;
    const answer = said.get(meaning) ?? each.answer;
    said.set(meaning, answer);
    return answer === each.answer ? each : { ...each, answer };
  });
}
