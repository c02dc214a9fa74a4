import { labels } from '@atoll/api';
import { parseSelectorText, pods, selectorMatches } from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  childrenOf,
  editSpec,
  partlyScheduled,
  spread,
  statusOf,
  web,
  zone,
} from '../../simulation/examples/spread-example.ts';

const windows = { rescheduleCriticalSeconds: 10, unschedulableDuration: 30 };
const strategies = {
  fixed: undefined,
  adaptive: { type: 'Adaptive' as const, adaptive: windows },
  reserving: { type: 'Adaptive' as const, adaptive: { ...windows, reserveUnschedulablePods: true } },
};
/** What an autoscaler writes, for how many pods of each subset there is room then, and which subsets there are. */
const steps = fc.array(
  fc.record({
    total: fc.nat(9),
    room: fc.record({ a: fc.nat(4), b: fc.nat(9), c: fc.nat(9) }),
    names: fc.subarray(['a', 'b', 'c'] as const, { minLength: 1 }),
    seconds: fc.constantFrom(5, 12, 40),
  }),
  { minLength: 1, maxLength: 6 },
);

const full = { a: 0, b: 0, c: 0 };
/** A whole total moves to other subsets, one replica at a time. */
const oneByOne: readonly (typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never)[] = [
  { total: 8, room: full, names: ['c'], seconds: 5 },
  { total: 9, room: full, names: ['a', 'b', 'c'], seconds: 5 },
];

it('an autoscaler finds as many pods by the selector of the status as the status counts, whatever it writes while subsets come, go and have no room', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(strategies)), steps, (mode, all) => {
      const scheduleStrategy = strategies[mode as keyof typeof strategies];
      const topology = (names: readonly string[]) => ({
        subsets: names.map((name) => zone(name, name === 'a' ? { maxReplicas: 4 } : {})),
        ...(scheduleStrategy === undefined ? {} : { scheduleStrategy }),
      });
      const { world, controller } = spread(web([], 'Deployment', { topology: topology(['a', 'b']) }));
      for (const { total, room, names, seconds } of all) {
        editSpec(world, () => ({ replicas: total, topology: topology(names) }));
        world.untilSteady(controller, 'ns/web');
        world.now += seconds * 1_000;
        for (let round = 0; round < 4; round += 1) {
          for (const subset of Object.keys(childrenOf(world))) {
            partlyScheduled(world, subset, room[subset as keyof typeof room]);
          }
          world.untilSteady(controller, 'ns/web');
        }
        const { labelSelector = '', replicas } = statusOf(world);
        const selector = parseSelectorText(labelSelector);
        // The garbage collector takes the pods of children that are gone.
        const owners = new Set(Object.keys(childrenOf(world)));
        const found = world
          .list(pods)
          .filter(({ metadata }) => owners.has(metadata.labels?.[labels.subsetName] ?? ''))
          .filter(({ metadata }) => selectorMatches(selector, metadata.labels));
        expect(replicas).toBe(found.length);
      }
    }),
    { numRuns: 60, examples: [['fixed', [...oneByOne]]] },
  );
});
