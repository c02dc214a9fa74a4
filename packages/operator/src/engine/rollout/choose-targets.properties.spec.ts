import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RolloutLimits } from './choose-targets.ts';
import { zonesInterleaved } from './order.ts';
import { anyEvents, SimulatedFleet } from './simulated-fleet.fixture.ts';

function limits(value: number): RolloutLimits {
  return {
    unavailable: { value, base: 'all', rounding: 'up', atLeast: 1 },
    away: { countsForMs: 60_000 },
    order: [zonesInterleaved],
    holds: [],
  };
}

const sizes = fc.record({ fleet: fc.integer({ min: 1, max: 6 }), budget: fc.integer({ min: 1, max: 3 }) });

it('never changes more at once than the budget allows, however health flaps, caches are behind and writes fail', () => {
  fc.assert(
    fc.property(sizes, anyEvents, ({ fleet: size, budget }, events) => {
      const fleet = new SimulatedFleet(size, limits(budget));
      for (const event of events) fleet.happen(event);
      expect(fleet.broken).toEqual([]);
    }),
    { numRuns: 3000 },
  );
});

it.each(['leave', 'return'] as const)(
  'changes what is down already, within the budget, where more are down after the event of a node: %s',
  (does) => {
    const fleet = new SimulatedFleet(4, limits(2));
    const away = { target: 0 };
    fleet.happen({ do: 'round' });
    fleet.happen({ do: 'leave', ...away });
    fleet.happen({ do: 'pass', ms: 60_000 });
    fleet.happen({ do: 'round' });
    expect([...fleet.takenDown]).toEqual(['t0', 't1', 't2']);
    fleet.happen({ do: 'edit' });
    fleet.happen({ do: does, ...away });
    fleet.happen({ do: 'round' });
    expect([...fleet.takenDown]).toEqual(['t0', 't1', 't2']);
    expect(fleet.broken).toEqual([]);
  },
);

it('ends, where everything that is started becomes healthy, whatever happened before', () => {
  fc.assert(
    fc.property(sizes, anyEvents, ({ fleet: size, budget }, events) => {
      const fleet = new SimulatedFleet(size, limits(budget));
      for (const event of events) fleet.happen(event);
      for (let rounds = 0; rounds <= size; rounds += 1) {
        fleet.untilSteady();
        fleet.round();
      }
      fleet.untilSteady();
      expect(fleet.round()).toBe(0);
      const runs = fleet.targets().map(({ at }) => at);
      expect(runs).toEqual(runs.map(() => ({ revision: String(fleet.wanted) })));
    }),
  );
});

it('takes as few rounds as the budget allows', () => {
  fc.assert(
    fc.property(sizes, ({ fleet: size, budget }) => {
      const fleet = new SimulatedFleet(size, limits(budget));
      let rounds = 0;
      while (fleet.round() > 0) {
        rounds += 1;
        fleet.untilSteady();
      }
      expect(rounds).toBe(Math.ceil(size / budget));
    }),
  );
});
