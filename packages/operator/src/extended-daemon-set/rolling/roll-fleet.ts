import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { rollCanary } from '../canary/roll-canary.ts';
import type { RefusedTrials } from '../../engine/refused-trials.ts';
import type { FleetView } from '../fleet/fleet-view.ts';
import { misplacedUntil } from '../fleet/nodes/misplaced-pods.ts';
import { isBound } from '../fleet/pods-by-node.ts';
import { unwantedPods } from '../fleet/unwanted-pods.ts';
import type { TaintedNode } from '../../engine/rollout/tainted-holds.ts';
import type { Strategy } from '../read-strategy.ts';
import { wasActive } from '../replica-sets/conditions.ts';
import type { Roles } from '../roles.ts';
import type { Rolling } from './decide-rolling.ts';
import { deletedUnwanted, noneUnwanted, type UnwantedPods } from './deleted-unwanted.ts';
import { holdsCanary, isFrozen, type HeldBy } from './held-by.ts';
import { rollActive, type CameBack } from './roll-active.ts';

type ReplicaSet = Stored<ExtendedDaemonSetReplicaSet>;

/** What becomes of the pods of an object. */
export interface RolledFleet {
  /** Of the active replica set, on all nodes but those of the canary. */
  readonly active: Rolling | undefined;
  readonly canary: Rolling | undefined;
  readonly unwanted: UnwantedPods;
  /** Nodes that are to run the active replica set, and whose pod of another template stays. */
  readonly tainted: readonly TaintedNode[];
}

interface FleetToRoll {
  readonly object: Stored<ExtendedDaemonSet>;
  readonly view: FleetView;
  readonly roles: Roles;
  readonly strategy: Strategy;
  readonly held: HeldBy | undefined;
  /** What of the spec a person must correct. */
  readonly problem: string | undefined;
  /** What the API server refused when it was tried. */
  readonly refused: RefusedTrials;
  readonly now: Instant;
}

/** Nothing is done with pods in a role that is not recorded: the process that decides next must be able to see it (decision 10). */
export function rollFleet(fleet: FleetToRoll): RolledFleet {
  const { object, view, roles, strategy, held, problem, refused, now } = fleet;
  const { active, canary, canaryToRecord } = roles;
  const recorded = object.status?.canary ?? undefined;
  const recordedNodes = new Set(recorded?.nodes);
  const canaryNodes = new Set([...recordedNodes, ...(canaryToRecord?.nodes ?? [])]);
  const isCanaryRecorded = canaryToRecord !== undefined && recorded?.replicaSet === canaryToRecord.replicaSet;
  const rolledCanary =
    canary !== undefined && isCanaryRecorded
      ? rollCanary(canary, recordedNodes, holdsCanary(held, problem), { refused, now })
      : undefined;
  if (active === undefined)
    return { active: undefined, canary: rolledCanary, unwanted: noneUnwanted, tainted: [] };
  const isOwn = (node: string): boolean => !canaryNodes.has(node);
  // While a template is tried, what other nodes are to run may still change.
  const tainted = canaryToRecord === undefined ? view.tainted(active, isOwn) : [];
  const rolling = rollActive(view, active, isOwn, {
    strategy,
    cameBack: cameBackOf(roles),
    held,
    refused,
    now,
  });
  if (!isActiveRecorded(object, roles))
    return { active: onlyShown(rolling), canary: rolledCanary, unwanted: noneUnwanted, tainted };
  return {
    // A node that becomes the canary's is out of the budget of the others only when that is recorded too.
    active: canaryNodes.size === recordedNodes.size ? rolling : { ...rolling, deleted: [], deletedAgain: [] },
    canary: rolledCanary,
    unwanted: unwantedOf(fleet, active, canaryNodes),
    tainted,
  };
}

/** Its nodes and their pods, and nothing that is done there. */
function onlyShown(rolling: Rolling): Rolling {
  return {
    ...rolling,
    deleted: [],
    deletedAgain: [],
    created: [],
    createdAgain: [],
    refused: [],
    triedAgain: [],
    undeleted: [],
    unmade: [],
    holds: [],
    requeueAt: undefined,
  };
}

/** The pods that no node is to have. Those of a canary's nodes are all to stay, but duplicates. */
function unwantedOf(
  { view, held, refused, now }: FleetToRoll,
  active: ReplicaSet,
  canaryNodes: ReadonlySet<string>,
): UnwantedPods {
  const eligibilityOf = view.eligibilityFor(active);
  const isOfActive = view.isOfTemplate(active);
  // A pod of another template that was never bound runs nothing that could stay, and would start with that template when there is room.
  const waitsOutdated = (node: string): boolean => {
    const kept = view.pods.get(node)?.kept;
    return kept !== undefined && !isBound(kept) && !isOfActive(kept);
  };
  const fitOf = (node: string): ReturnType<typeof eligibilityOf> => {
    if (canaryNodes.has(node)) return 'eligible';
    const eligibility = eligibilityOf(node);
    return eligibility === 'tainted' && held === undefined && waitsOutdated(node) ? 'unfit' : eligibility;
  };
  // It would be made again at once, and be as misplaced.
  const paused = new Set([...view.misplaced.values()].filter((pod) => misplacedUntil(pod) > now));
  const unwanted = unwantedPods(view.pods, fitOf).filter(({ pod }) => !paused.has(pod));
  return deletedUnwanted(unwanted, isFrozen(held), refused, now);
}

/** The replica set of the template in the spec, where it was active before the one that is now, and is tried again. */
function cameBackOf({ upToDate, active, canary, failed }: Roles): CameBack | undefined {
  if (upToDate === undefined || upToDate === active || failed !== undefined) return undefined;
  if (!wasActive(upToDate)) return undefined;
  return {
    replicaSet: upToDate,
    promotion: canary?.promotion.promote === false ? canary.promotion : undefined,
  };
}

/** Whether the status names the active replica set. */
export function isActiveRecorded({ status }: Stored<ExtendedDaemonSet>, { active }: Roles): boolean {
  return active !== undefined && status?.activeReplicaSet === active.metadata.name;
}
