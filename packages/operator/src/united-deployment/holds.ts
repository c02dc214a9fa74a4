import { annotations, type ReasonWord } from '@atoll/api';
import type { Hold } from '../engine/hold.ts';
import { isSettled, type Decision, type SubsetDecision } from './decision.ts';
import type { UnitedDeploymentSnapshot } from './observe.ts';
import { countUnschedulable } from './subset-pods.ts';

const listedTargets = 50;

/** What is not as it should be and cannot be moved by us now; what is bad first. */
export function holdsOf(snapshot: UnitedDeploymentSnapshot, decision: Decision | undefined): readonly Hold[] {
  if (!snapshot.certain) return [hold('NotYetObserved', 'time', [], 'all caches have been filled', false)];
  const { wish } = snapshot;
  if (!wish.ok) return [hold(wish.reason, 'person', [], wish.problem, true)];
  if (decision === undefined) return [];
  if (!wish.served) {
    const freedBy = `nothing of the kind ${wish.kind} can be made until its CustomResourceDefinition is installed`;
    return [hold('KindNotServed', 'person', [], freedBy, true)];
  }
  const sorted = new Map<string, { readonly like: Hold; readonly subsets: string[] }>();
  for (const each of decision.subsets) {
    const found = holdOf(each);
    if (found === undefined) continue;
    const id = `${found.reason} ${found.bad}`;
    const group = sorted.get(id) ?? { like: found, subsets: [] };
    sorted.set(id, group);
    group.subsets.push(each.subset.name);
  }
  const holds = [...sorted.values()].map(({ like, subsets }) => ({
    ...like,
    targets: subsets.sort().slice(0, listedTargets),
    count: subsets.length,
  }));
  const all = [...holds, ...partitionHolds(decision), ...decision.rolloutHolds];
  return [...all.sort((a, b) => Number(b.bad) - Number(a.bad)), ...keptHolds(decision)];
}

/** Nothing waits for these, so they stand last. */
function keptHolds({ subsets }: Decision): readonly Hold[] {
  const kept = subsets
    .filter(({ child }) => child?.object.metadata.annotations?.[annotations.oldRendering] !== undefined)
    .map(({ subset }) => subset.name)
    .sort();
  if (kept.length === 0) return [];
  const freedBy =
    'the template or the placement of the subset changes; until then the pods stay as Kruise placed them, without matchFields';
  return [hold('OldRenderingKept', 'person', kept, freedBy, false)];
}

function partitionHolds({ refusedPartitions }: Decision): readonly Hold[] {
  const [first] = refusedPartitions;
  if (first === undefined) return [];
  const subsets = refusedPartitions.map(({ subset }) => subset).sort();
  return [hold('InvalidPartition', 'person', subsets, first.message, true)];
}

function holdOf(decision: SubsetDecision): Hold | undefined {
  const { subset, child, health, occupant, target, patchProblem } = decision;
  const { name } = subset;
  if (patchProblem !== undefined) return hold('InvalidPatch', 'person', [name], patchProblem, true);
  if (child === undefined && occupant?.ours === true) {
    const freedBy = `the old ${occupant.kind} ${occupant.name} is gone; it is being deleted`;
    return hold('NameTaken', 'time', [name], freedBy, false);
  }
  if (child === undefined && occupant !== undefined) {
    const owner = occupant.holder === 'nobody' ? 'has no controller' : `belongs to ${occupant.holder}`;
    const freedBy = `the ${occupant.kind} ${occupant.name}, which ${owner}, stands in the way until it is renamed or removed`;
    return hold('NameTaken', 'person', [name], freedBy, true);
  }
  if (child === undefined || health === undefined || isSettled(decision)) return undefined;
  if (target.revision !== target.wanted) return undefined;
  if (health.stuck !== undefined) return hold('WaitingForReady', 'health', [name], health.stuck, true);
  if (!health.updated && child.object.spec?.updateStrategy?.type === 'OnDelete') {
    const freedBy = 'somebody deletes the old pods: the update strategy of the template is OnDelete';
    return hold('WaitingForDeletion', 'person', [name], freedBy, false);
  }
  const homeless = countUnschedulable(decision.pods);
  if (homeless > 0) {
    const pods = homeless === 1 ? 'its pod' : `its ${homeless} pods`;
    return hold('PodsUnschedulable', 'nodes', [name], `a node takes ${pods}, which found none`, false);
  }
  return hold('WaitingForReady', 'health', [name], 'the pods are available', false);
}

export function hold(
  reason: ReasonWord,
  waitsFor: Hold['waitsFor'],
  targets: readonly string[],
  freedBy: string,
  bad: boolean,
): Hold {
  return { reason, waitsFor, targets, count: targets.length, freedBy, bad };
}
