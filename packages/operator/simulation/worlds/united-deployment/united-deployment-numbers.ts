import { unitedDeployments, type Subset, type UnitedDeployment } from '@atoll/api';
import { parseKey } from '@atoll/kube';
import type { KubeObject } from '@atoll/kube';
import type { Step } from '../../../src/engine/step.ts';
import { kindFacts } from '../../../src/united-deployment/subsets/child-kind.ts';
import { slotOf } from '../../model/store.ts';
import type { Planned } from '../../world.ts';
import { kindOf, ownerOf, subsetOf, subsetsOf } from './united-deployment-objects.ts';
import type { SmallChild } from './united-deployment-objects.ts';
import { reserves, totalOf } from './united-deployment-store.ts';

/**
 * P, S2: what a plan leads to is the total of the spec that it was made from, and each subset's part is within its bounds. `moves`:
 * replicas move from one subset to another, which may take several plans, and none of them leaves what lies between.
 */
export function wrongPlan(
  { plan, key, known }: Planned,
  { moves = false }: { readonly moves?: boolean } = {},
): string | undefined {
  const owner = known.get(slotOf(unitedDeployments, parseKey(key)))?.object as UnitedDeployment | undefined;
  // Without targets nothing was decided, as where somebody else serves it.
  if (owner === undefined || plan.targets.length === 0) return undefined;
  const steps = plan.stages.flatMap((stage) => stage.steps);
  const subsets = subsetsOf(owner);
  const numbers = subsets.map(({ name }) => replicasAfter(name, steps, known, owner));
  const counted = numbers.filter((replicas) => replicas !== undefined);
  if (counted.length < subsets.length) return undefined;
  const sum = added(counted);
  const total = Math.min(totalOf(owner) ?? 0, added(subsets.map(mostOf)));
  const listed = subsets.map(({ name }, index) => `${name}:${numbers[index]}`).join(', ');
  // In reservation others stand in for pods that find no node, beyond the total.
  if (reserves(owner)) return sum < total ? `${listed} are planned, where ${total} are wanted` : undefined;
  const present = added(subsets.map(({ name }) => replicasAfter(name, [], known, owner) ?? 0));
  const isOnTheWay = moves && sum >= Math.min(present, total) && sum <= Math.max(present, total);
  if (sum !== total && !isOnTheWay) return `${listed} are planned, where ${total} are wanted`;
  return wrongBound(subsets, counted, total);
}

/** A total below the sum of the minima cannot meet them all. */
function wrongBound(
  subsets: readonly Subset[],
  numbers: readonly number[],
  total: number,
): string | undefined {
  const canBeMet = added(subsets.map(leastOf)) <= total;
  for (const [index, subset] of subsets.entries()) {
    const replicas = numbers[index] ?? 0;
    const least = canBeMet ? leastOf(subset) : 0;
    if (replicas < least) return `subset ${subset.name} is to have ${replicas} replicas, at least ${least}`;
    const most = mostOf(subset);
    if (replicas > most) return `subset ${subset.name} is to have ${replicas} replicas, at most ${most}`;
  }
  return undefined;
}

/** As in the plan, or as it leaves them; undefined where its child comes to be known only by and by. */
function replicasAfter(
  subset: string,
  steps: readonly Step[],
  known: Planned['known'],
  owner: UnitedDeployment,
): number | undefined {
  const { resource } = kindFacts[kindOf(owner)];
  const own = steps.filter((step) => step.do !== 'event' && step.resource === resource);
  const about = own.filter((step) => step.target === subset && step.do !== 'delete' && step.do !== 'try');
  const written = about.find((step) => step.do === 'apply' || step.do === 'create');
  if (written !== undefined) return (written.object as SmallChild).spec?.replicas;
  // Its fields change hands first, and its number is for the next reconcile.
  if (about.length > 0) return undefined;
  const going = own.flatMap((step) => (step.do === 'delete' ? [slotOf(resource, step.key)] : []));
  const left = [...known]
    .filter(([slot]) => slot.startsWith(slotOf(resource, { name: '' })) && !going.includes(slot))
    .map(([, { object }]) => object)
    .filter(
      (object) => isLive(object) && ownerOf(object) === owner.metadata.uid && subsetOf(object) === subset,
    );
  const [child] = left as readonly SmallChild[];
  return left.length === 1 ? (child?.spec?.replicas ?? 1) : undefined;
}

function leastOf({ minReplicas }: Subset): number {
  return Number(minReplicas ?? 0);
}

function mostOf({ maxReplicas }: Subset): number {
  return Number(maxReplicas ?? Infinity);
}

function added(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function isLive({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}
