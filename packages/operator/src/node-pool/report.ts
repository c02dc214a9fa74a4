import { conditionTypes, nodePools, type NodePool, type ReasonWord, type UnnotedNode } from '@atoll/api';
import { isReady, type Instant, type Node, type Stored } from '@atoll/kube';
import { conditionSince, mergeConditions, nameAFew } from '../engine/status/conditions.ts';
import { overallStatements, overallTypes, type Standing, type Trouble } from '../engine/status/conditions.ts';
import type { StatusWrite } from '../engine/controller.ts';
import { describeHold } from '../engine/problems/describe-hold.ts';
import { failuresOf, type FailedStep } from '../engine/problems/failures.ts';
import { cachesNotSynced, type Hold } from '../engine/hold.ts';
import type { Outcome } from '../engine/step.ts';
import type { KeyOnNode, NodePoolDecision } from './decide.ts';
import { membershipOf } from './membership.ts';
import type { NodePoolSnapshot } from './observe.ts';
import { attributesOf, givenByNoPool } from './nodes/attributes.ts';
import { isNoted, keptAsFound } from './nodes/kept-as-found.ts';
import { typeLabelStep } from './nodes/type-labels.ts';
import { canBeListed, unnotedLeaver, unnotedMember } from './nodes/unnoted-nodes.ts';

/** Scripts of the old operator wait for the counts after they labelled a node, so these are a second old at most. */
const statusPaceMs = 1_000;

/** Counts, names in order, and how far the pool's attributes have reached its nodes. */
export function report(
  snapshot: NodePoolSnapshot,
  decision: NodePoolDecision,
  outcome: Outcome,
  now: Instant,
): readonly StatusWrite[] {
  const { pool } = snapshot;
  if (pool === undefined) return [];
  const standing = standingOf(snapshot, decision, pool, outcome, now);
  const { generation } = pool.metadata;
  const { observedGeneration } = pool.status ?? {};
  const unnoted = unnotedNodes(snapshot, pool);
  const isSeen = snapshot.certain && (observedGeneration !== undefined || unnoted !== undefined);
  const counted = snapshot.certain ? countsOf(snapshot.nodes.filter(isMember)) : {};
  const { unnotedNodes: _listed, ...others } = pool.status ?? {};
  const { length } = unnoted ?? [];
  const status = {
    ...others,
    ...counted,
    ...(length === 0 ? {} : { unnotedNodes: unnoted }),
    ...(isSeen && generation !== undefined ? { observedGeneration: generation } : {}),
    conditions: mergeConditions(
      pool.status?.conditions,
      overallStatements(standing, now),
      overallTypes,
      generation,
      now,
    ),
  };
  return [{ resource: nodePools, object: pool, status, paceMs: statusPaceMs }];
}

/**
 * The nodes on which something is kept that is not noted there, as far as this pool lists them: what is kept must be written down
 * somewhere before the pool counts as seen, because that alone separates what was found from later changes. undefined: it cannot list them.
 */
function unnotedNodes(
  { certain, nodes, unnotedLeavers }: NodePoolSnapshot,
  pool: Stored<NodePool>,
): readonly UnnotedNode[] | undefined {
  const { observedGeneration, unnotedNodes: listed = [] } = pool.status ?? {};
  if (!certain) return listed;
  const isSeen = observedGeneration !== undefined;
  if (isSeen && listed.length === 0) return [];
  // Others would be without their list when it is gone.
  if (!isSeen && unnotedLeavers.length > 0 && pool.metadata.deletionTimestamp !== undefined) return undefined;
  const uids = new Set(listed.map(({ uid }) => uid));
  const wanted = attributesOf(pool);
  const members = nodes.flatMap((node) => {
    if (isSeen && !uids.has(node.metadata.uid)) return [];
    const kept = keptAsFound(node, pool, wanted);
    return isNoted(node, kept) ? [] : [unnotedMember(node, kept)];
  });
  const all = [...members, ...unnotedLeavers.map(unnotedLeaver)];
  return isSeen || canBeListed(all) ? all : undefined;
}

/** A node that asks to leave is none, though it still has to be written. */
function isMember(node: Stored<Node>): boolean {
  return membershipOf(node).request?.does !== 'leave';
}

function countsOf(nodes: readonly Stored<Node>[]): NonNullable<NodePool['status']> {
  const readyNodes = nodes.filter(isReady).length;
  return {
    readyNodeNum: readyNodes,
    unreadyNodeNum: nodes.length - readyNodes,
    nodes: nodes.map((node) => node.metadata.name).sort(),
  };
}

function standingOf(
  snapshot: NodePoolSnapshot,
  decision: NodePoolDecision,
  pool: Stored<NodePool>,
  outcome: Outcome,
  now: Instant,
): Standing {
  if (!snapshot.certain) {
    return {
      observed: false,
      done: false,
      moving: false,
      reason: cachesNotSynced.reason,
      message: describeHold(cachesNotSynced),
      trouble: undefined,
    };
  }
  const outdated = decision.outdated.map(({ node }) => node);
  const [tooLong] = decision.tooLong;
  const trouble = joinTroubles([
    ...(tooLong === undefined ? [] : [heldBy(tooLong, pool, now)]),
    ...poolRefused(pool, outcome, now),
    ...nodesRefused(pool, outdated, outcome, now),
  ]);
  const failing = new Set(failuresOf(outcome).map((failure) => failure.target));
  const moving = outdated.some((node) => !failing.has(node.metadata.name));
  if (outdated.length === 0 && tooLong === undefined) {
    const but = exceptions(pool, decision);
    const carry = `all ${snapshot.nodes.length} nodes carry the pool's labels, annotations and taints`;
    const message = [carry, ...but].join('; ');
    return { observed: true, done: true, moving: false, reason: 'PoolSynced', message, trouble };
  }
  const left = outdated.length + (tooLong?.count ?? 0);
  const message = `${left} of ${snapshot.nodes.length} nodes are being brought up to date`;
  return { observed: true, done: false, moving, reason: 'AttributesOutdated', message, trouble };
}

/** What nodes have not as the pool gives it, although nothing is left to be written. */
function exceptions(pool: Stored<NodePool>, decision: NodePoolDecision): readonly string[] {
  const { withoutTaints, otherLabels, notSet } = decision;
  const stay = (what: string, { length }: readonly unknown[], which: readonly KeyOnNode[]): string =>
    `${what} of ${length} of them stay as an old operator left them: ${keysOnNodes(which)}`;
  const noPool = givenByNoPool(pool);
  return [
    ...(withoutTaints.length === 0 ? [] : [stay('NoExecute taints', withoutTaints, notSet.taints)]),
    ...(otherLabels.length === 0 ? [] : [stay('labels', otherLabels, notSet.labels)]),
    ...(notSet.ownLabels.length === 0
      ? []
      : [
          'labels that say what a node is are not set where it has another value of its own: ' +
            `${keysOnNodes(notSet.ownLabels)}. Remove them from spec.labels`,
        ]),
    ...(noPool.length === 0
      ? []
      : [
          `no node gets ${nameAFew(noPool)}: such keys name the pool of a node, or record what a pool did with it. ` +
            'Remove them from the pool',
        ]),
  ];
}

function keysOnNodes(all: readonly KeyOnNode[]): string {
  const byKey = [...Map.groupBy(all, ({ key }) => key)];
  return nameAFew(byKey.map(([key, on]) => `${key} on ${nameAFew(on.map(({ nodeName }) => nodeName))}`));
}

function heldBy(held: Hold, pool: Stored<NodePool>, now: Instant): Trouble {
  const message = describeHold(held);
  return { reason: held.reason, message, since: notReadySince(pool, now), stalls: 'now' };
}

function notReadySince(pool: Stored<NodePool>, now: Instant): Instant {
  return conditionSince(pool.status?.conditions, conditionTypes.ready, 'False') ?? now;
}

/** All that is wrong, under the reason of the first. */
function joinTroubles(all: readonly Trouble[]): Trouble | undefined {
  const [first] = all;
  if (first === undefined || all.length === 1) return first;
  const every = all.map(({ stalls }) => stalls);
  const lasting = every.every((each) => each === 'never') ? 'never' : 'if-it-lasts';
  return {
    ...first,
    // A server's message may end with a full stop.
    message: all.map(({ message }) => message.replace(/\.$/, '')).join('; and '),
    stalls: every.includes('now') ? 'now' : lasting,
  };
}

function poolRefused(pool: Stored<NodePool>, outcome: Outcome, now: Instant): readonly Trouble[] {
  if (typeLabelStep(pool) === undefined) return [];
  const refused = failuresOf(outcome).filter(
    ({ step, reason }) => step.ifRefused === 'PoolRefused' && reason !== 'ServerUnavailable',
  );
  return refused.flatMap((failure) =>
    troubleWith(
      [failure],
      failure.reason,
      () => 'cannot label the pool with its type',
      notReadySince(pool, now),
    ),
  );
}

/** Only a node that is still not as it should be is trouble: another writer may have done it meanwhile. */
function nodesRefused(
  pool: Stored<NodePool>,
  outdated: readonly Stored<Node>[],
  outcome: Outcome,
  now: Instant,
): readonly Trouble[] {
  const nodeNames = new Set(outdated.map((node) => node.metadata.name));
  const failures = failuresOf(outcome).filter(({ target }) => target !== undefined && nodeNames.has(target));
  const since = notReadySince(pool, now);
  const changedBack = failures.filter(({ reason }) => reason === 'ChangedBack');
  const others = failures.filter((failure) => !changedBack.includes(failure));
  return [
    ...troubleWith(others, 'NodeRefused', (names) => `cannot write the nodes ${names}`, since),
    ...troubleWith(changedBack, 'ChangedBack', (names) => `the nodes ${names} do not stay as written`, since),
  ];
}

/** How many causes are named, each with its nodes. */
const namedCauses = 3;

/** One for each cause: nodes may be refused for different ones. */
function troubleWith(
  failures: readonly FailedStep[],
  reason: ReasonWord,
  describe: (names: string) => string,
  since: Instant,
): readonly Trouble[] {
  const causes = [...Map.groupBy(failures, causeOf).values()];
  const stalls = failures.every((failure) => failure.stalls === 'never') ? 'never' : 'if-it-lasts';
  const troubleOf = (alike: readonly FailedStep[], why: string): Trouble => {
    const culprits = nameAFew(alike.map(({ target }) => target ?? ''));
    return { reason, message: `${describe(culprits)}${why}`, since, stalls };
  };
  const others = causes.slice(namedCauses).flat();
  return [
    ...causes
      .slice(0, namedCauses)
      .map((alike) => troubleOf(alike, alike[0] === undefined ? '' : `: ${alike[0].error.message}`)),
    ...(others.length === 0 ? [] : [troubleOf(others, ', with other answers')]),
  ];
}

/** What the API server answered, without the name of the node, which may end a sentence. */
function causeOf({ target, error }: FailedStep): string {
  return error.problem.replaceAll(/[\w.-]+/g, (word) => ([target, `${target}.`].includes(word) ? '' : word));
}
