import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeHold } from '../problems/describe-hold.ts';
import { chooseTargets, heldTargets, type RolloutLimits } from './choose-targets.ts';
import { zonesInterleaved } from './order.ts';
import { anyEvents, SimulatedFleet } from './simulated-fleet.fixture.ts';
import { joinTargetHolds } from './target-hold.ts';

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

/** What is written of the targets that wait. */
function waitingIn(fleet: SimulatedFleet, budget: number): string {
  const { byTarget } = chooseTargets({ targets: fleet.targets(), limits: limits(budget), now: fleet.now });
  return joinTargetHolds(heldTargets([...byTarget]))
    .map((hold) => describeHold(hold))
    .join('; ');
}

it('names what is unavailable in messages that change no more often than they would without', () => {
  const cases = fc.record({
    size: fc.integer({ min: 2, max: 12 }),
    budget: fc.integer({ min: 1, max: 5 }),
    picks: fc.array(fc.nat(11), { minLength: 12, maxLength: 12 }),
  });
  fc.assert(
    fc.property(cases, ({ size, budget, picks }) => {
      const fleet = new SimulatedFleet(size, limits(budget));
      fleet.round();
      const messages = [waitingIn(fleet, budget)];
      for (const pick of picks) {
        const changing = [...fleet.changing.keys()];
        const target = fleet.ids.indexOf(changing[pick % changing.length] ?? '');
        if (target < 0) break;
        fleet.happen({ do: 'recover', target });
        fleet.happen({ do: 'see', target });
        messages.push(waitingIn(fleet, budget));
        fleet.round();
        messages.push(waitingIn(fleet, budget));
      }
      const unnamed = messages.map((each) => each.replaceAll(/\(now (\d+): [^)]*\)/g, '(now $1)'));
      const changes = (texts: readonly string[]): number =>
        texts.filter((text, index) => index > 0 && text !== texts[index - 1]).length;
      expect(changes(messages)).toBe(changes(unnamed));
      const names = /\(now \d: t0/.test(messages[0] ?? '');
      expect(names).toBe(size > budget);
    }),
  );
});
