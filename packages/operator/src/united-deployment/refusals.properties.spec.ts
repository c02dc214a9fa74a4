import { labels } from '@atoll/api';
import type { ApiError, KubeObject, Resource } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import type { Operation } from '../../simulation/model/api-server.ts';
import { childrenOf, editSpec, spread, web, zone } from '../../simulation/examples/spread-example.ts';
import type { ChildWorkload } from '../children/child.ts';
import { childKinds, kindFacts, type ChildKind } from './subsets/child-kind.ts';

const names = ['a', 'b', 'c', 'd'];
const numbers = fc.uniqueArray(fc.record({ name: fc.constantFrom(...names), replicas: fc.nat(4) }), {
  selector: ({ name }) => name,
  minLength: 1,
});
type Numbers = readonly { readonly name: string; readonly replicas: number }[];

function specOf(given: Numbers) {
  const subsets = given.map(({ name, replicas }) => zone(name, { replicas }));
  return { replicas: totalOf(given), topology: { subsets } };
}

function totalOf(given: Numbers): number {
  return given.reduce((sum, { replicas }) => sum + replicas, 0);
}

/** A policy by which the children of these subsets may not be made, nor grow. */
function keeps(world: FreshWorld, kind: ChildKind, subsets: readonly string[]) {
  const resource = kindFacts[kind].resource as Resource<ChildWorkload>;
  const subsetOf = ({ metadata }: KubeObject): string => metadata.labels?.[labels.subsetName] ?? '';
  return (operation: Operation): ApiError | undefined => {
    if (!('object' in operation) || (operation.resource as object) !== resource) return undefined;
    const subset = subsetOf(operation.object);
    if (!subsets.includes(subset)) return undefined;
    const held = world.list(resource).find((child) => subsetOf(child) === subset);
    const { replicas = 1 } = (operation.object as ChildWorkload).spec ?? {};
    if (held !== undefined && replicas <= (held.spec?.replicas ?? 1)) return undefined;
    const message = 'denied by a policy';
    return refusalOf(403, 'write', message);
  };
}

/** The subset b goes, and c shrinks for a: what was b's is for d, which may not have it. */
const keptWhileOneGrows: [ChildKind, Numbers, Numbers, string[]] = [
  'AdvancedStatefulSet',
  [
    { name: 'b', replicas: 1 },
    { name: 'd', replicas: 0 },
    { name: 'a', replicas: 3 },
    { name: 'c', replicas: 3 },
  ],
  [
    { name: 'a', replicas: 4 },
    { name: 'd', replicas: 1 },
    { name: 'c', replicas: 2 },
  ],
  ['d'],
];

it('whatever is refused, there are as many replicas as before and after, and all is as it should be when it is taken', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...childKinds),
      numbers,
      numbers,
      fc.subarray(names),
      (kind, before, after, kept) => {
        const { world, controller } = spread(web([], kind, specOf(before)));
        world.untilSteady(controller, 'ns/web');
        world.refuse = keeps(world, kind, kept);
        editSpec(world, () => specOf(after));
        for (let round = 0; round < 20; round += 1) world.reconcile(controller, 'ns/web');
        const children = world.list(kindFacts[kind].resource as Resource<ChildWorkload>);
        const sum = children.reduce((all, { spec }) => all + (spec?.replicas ?? 1), 0);
        expect(sum).toBeGreaterThanOrEqual(Math.min(totalOf(before), totalOf(after)));
        world.refuse = () => undefined;
        world.untilSteady(controller, 'ns/web');
        const wanted = after.map(({ name, replicas }) => [name, `${kind} ${replicas}`] as const);
        expect(childrenOf(world)).toEqual(Object.fromEntries(wanted));
      },
    ),
    { numRuns: 60, examples: [keptWhileOneGrows] },
  );
});
