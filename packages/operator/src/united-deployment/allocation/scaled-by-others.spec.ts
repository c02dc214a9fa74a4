import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  childrenOf,
  editSpec,
  scaleChild,
  spread,
  statusOf,
  web,
  writtenByAtoll,
  zone,
} from '../../../simulation/examples/spread-example.ts';

const topologies = {
  even: { subsets: [zone('a'), zone('b'), zone('c')] },
  'numbers that do not add up': {
    subsets: [zone('a', { replicas: 9 }), zone('b', { replicas: 9 }), zone('c', { replicas: 9 })],
  },
  adaptive: {
    subsets: [zone('a', { maxReplicas: 4 }), zone('b', { minReplicas: 1 }), zone('c')],
    scheduleStrategy: { type: 'Adaptive' as const },
  },
};

/** Totals that a person sets one after the other, and what children are scaled to together with the last. */
const scale = fc.record({
  topology: fc.constantFrom(...(Object.keys(topologies) as (keyof typeof topologies)[])),
  totals: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)),
  children: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(9)),
});

it('ends with the numbers of a scale in which nobody scales a child', () => {
  fc.assert(
    fc.property(scale, ({ topology, totals, children }) => {
      const scaled = (byHand: Readonly<Record<string, number>>) => {
        const { world, controller } = spread(
          web([], 'Deployment', { topology: topologies[topology], replicas: totals[0] }),
        );
        const untilSteady = () => {
          for (let plans = 0; world.reconcile(controller, 'ns/web').plan.stages.length > 0; plans += 1) {
            expect(plans, 'it comes to an end').toBeLessThan(20);
            writtenByAtoll(world);
          }
        };
        untilSteady();
        editSpec(world, () => ({ replicas: totals[1] }));
        untilSteady();
        for (const [subset, to] of Object.entries(byHand)) scaleChild(world, subset, to);
        editSpec(world, () => ({ replicas: totals[2] }));
        untilSteady();
        const { subsetReplicas: noted = {} } = statusOf(world);
        expect(childrenOf(world)).toEqual(
          Object.fromEntries(
            Object.entries(noted).map(([name, replicas]) => [name, `Deployment ${replicas}`]),
          ),
        );
        // Which subset has one more than another may be another one, where a child was set back in two steps.
        return topology === 'even' ? Object.values(noted).toSorted((a, b) => a - b) : noted;
      };
      expect(scaled(children)).toEqual(scaled({}));
    }),
    { numRuns: 100 },
  );
});
