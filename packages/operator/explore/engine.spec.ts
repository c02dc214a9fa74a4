import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/explorer/explorer.ts';
import { safe, verdictOn } from './verdict-on.ts';
import { oneAtATimeWorld } from '../simulation/worlds/one-at-a-time-world.ts';
import { spreadWorld } from '../simulation/worlds/spread-world.ts';
import type { WorldOptions } from '../simulation/worlds/world-options.ts';
import type { SpreadWorldOptions } from '../simulation/worlds/spread-world.ts';

type Row = Omit<SpreadWorldOptions, 'name'>;

/** Small enough that a handful of writes use it up. */
const pace = { limits: { perSecond: 0.5, burst: 1 } } as const;

describe('one child per pool: every interleaving is safe, and ends as desired and silent', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'nothing goes wrong': { budgets: {} },
    'a pool is switched off or on': { budgets: { switch: 1 } },
    'the version changes while caches lag by two': { pools: ['a'], budgets: { edit: 2 }, lag: 2 },
    'any one request fails in any way, or the operator dies': { budgets: { fault: 1 } },
    'another writer deletes a child': { budgets: { 'other writer': 1 } },
    'the version changes and one request fails in any way': { pools: ['a'], budgets: { edit: 1, fault: 1 } },
    'a pool is switched and a request of a dead operator arrives late': {
      pools: ['a'],
      budgets: { switch: 2, fault: 1 },
      faults: ['crash-late', 'lost-after'],
    },
    'a pause and its end, a pool switched': { pools: ['a'], budgets: { pause: 2, switch: 1 } },
    'the child of one pool is refused for ever': { refused: 'a', budgets: { edit: 1 } },
    'a stranger holds the name of a child': { taken: 'a', budgets: { edit: 1 } },
    'a successor begins before pools are read': { budgets: { fault: 1 }, faults: ['crash-unsynced'] },
    'the pace holds a status back': { budgets: { hold: 1, switch: 1 }, patient: true },
    'the shipped pace holds statuses back, with a budget of one write in two seconds': {
      pace,
      budgets: { switch: 1, time: 8 },
      patient: true,
      spurious: false,
    },
    'the shipped pace holds statuses back, and one request fails in any way': {
      pace,
      pools: ['a'],
      budgets: { fault: 1, time: 4 },
      patient: true,
      spurious: false,
    },
    'leadership ends while a reconcile runs': { budgets: { depose: 1, switch: 1 } },
    'many keys wait: a new spec is acknowledged first': {
      othersWait: true,
      pools: ['a'],
      budgets: { edit: 1, switch: 1 },
    },
    'many keys wait, and any one request fails in any way': {
      othersWait: true,
      pools: ['a'],
      budgets: { edit: 1, fault: 1 },
    },
    'many keys wait, and the pace holds a status back': {
      othersWait: true,
      pools: ['a'],
      budgets: { edit: 1, hold: 1 },
      patient: true,
    },
    'two requests are under way at once': { atOnce: 2, budgets: { switch: 1 }, spurious: false },
    'two requests are under way at once, and any one fails in any way': {
      atOnce: 2,
      budgets: { fault: 1 },
      spurious: false,
    },
    'leadership ends while two requests are under way': {
      atOnce: 2,
      budgets: { depose: 1 },
      spurious: false,
    },
    "a successor's watch of the parent has stood still": {
      pools: ['a'],
      budgets: { edit: 1, 'fail-over': 1 },
    },
    'a successor starts from an old list of the parent and of children': {
      pools: ['a'],
      budgets: { edit: 1, 'fail-over': 1 },
      standStill: ['spreads.example.test', 'children.example.test'],
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(spreadWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('planted bugs: each is found, by the shortest trace', () => {
  interface Planted extends Row {
    /** The oracle that must object: P, E, S, W or L. */
    readonly layer: string;
    readonly report: string;
  }
  const bugs: Readonly<Record<string, Planted>> = {
    'c1 a failed list is taken for an empty one': {
      bug: 'failed-list-is-empty',
      budgets: { fault: 1 },
      faults: ['crash-unsynced'],
      layer: 'E',
      report: 'never off',
    },
    'c2 delete by name': {
      engineBug: 'delete-by-name',
      budgets: { switch: 1 },
      layer: 'E',
      report: 'without the uid',
    },
    'c3 apply without the uid': {
      engineBug: 'apply-without-uid',
      pools: ['a'],
      budgets: { switch: 1, edit: 1, fault: 1 },
      faults: ['crash-late'],
      layer: 'E',
      report: 'apply made an object',
    },
    'c4 no write-through': {
      engineBug: 'no-write-through',
      budgets: {},
      layer: 'W',
      report: 'create of what is there',
    },
    'c5 stop at the first error': {
      engineBug: 'stop-at-first-error',
      refused: 'a',
      budgets: {},
      layer: 'L',
      report: 'there are none',
    },
    'c6 no retry without an event': {
      engineBug: 'no-requeue',
      budgets: { fault: 1 },
      faults: ['refused'],
      layer: 'L',
      report: 'the status should be',
    },
    'a spec is acknowledged and nothing more is done': {
      engineBug: 'acknowledged-and-left',
      othersWait: true,
      pools: ['a'],
      budgets: { edit: 1 },
      spurious: false,
      layer: 'L',
      report: 'version',
    },
    'an event is said to need no reconcile': {
      engineBug: 'status-needs-no-reconcile',
      budgets: {},
      layer: 'L',
      report: 'the status should be',
    },
    'a status that is held back is forgotten': {
      engineBug: 'held-status-forgotten',
      budgets: { hold: 1 },
      patient: true,
      layer: 'L',
      report: 'the status should be',
    },
    'a status that the shipped pace holds back is forgotten': {
      engineBug: 'held-status-forgotten',
      pace,
      budgets: { time: 8 },
      patient: true,
      spurious: false,
      layer: 'L',
      report: 'the status should be',
    },
    'a status that is held back is never due, because each reconcile puts it off': {
      pace: { ...pace, bug: (memory) => ({ ...memory, due: new Map() }) },
      pools: ['a'],
      budgets: { time: 4 },
      patient: true,
      spurious: false,
      layer: 'L',
      report: 'the status should be',
    },
    'c7 the status of an older spec under the new generation': {
      engineBug: 'status-of-older-spec',
      budgets: { edit: 1 },
      layer: 'E',
      report: 'generation 2 and describes version 1',
    },
    'c8 an unsorted status': { bug: 'unsorted-status', budgets: {}, layer: 'S', report: 'not sorted' },
    'children are not watched': {
      bug: 'children-not-watched',
      budgets: {},
      layer: 'L',
      report: 'the status should be',
    },
    'generated names': {
      bug: 'generated-names',
      pools: ['a'],
      budgets: { fault: 1 },
      faults: ['lost-after'],
      layer: 'S',
      report: 'two children',
    },
    'writes although nothing changed': {
      bug: 'writes-when-nothing-changed',
      budgets: {},
      layer: 'W',
      report: 'apply changed nothing',
    },
    'F7 a name that is taken counts as success': {
      engineBug: 'taken-name-is-success',
      taken: 'a',
      budgets: {},
      layer: 'L',
      report: 'the status should be',
    },
    'F1 what was read back after a lost answer is not looked at': {
      engineBug: 'lost-counts-as-done',
      budgets: { fault: 1 },
      faults: ['lost-before-read-back'],
      layer: 'L',
      report: 'the status should be',
    },
    'a plan is carried out for what an old cache shows': {
      engineBug: 'plans-unconfirmed',
      pools: ['a'],
      budgets: { edit: 1, 'fail-over': 1 },
      layer: 'E',
      report: 'web-a goes back from version 2 to 1',
    },
    'a plan outlives its spec': {
      engineBug: 'plan-outlives-its-spec',
      pools: ['a'],
      budgets: { edit: 1 },
      layer: 'E',
      report: 'of version 1 although version 2 is known',
    },
    'a plan outlives its spec while another request is under way': {
      engineBug: 'plan-outlives-its-spec',
      atOnce: 2,
      budgets: { edit: 1 },
      spurious: false,
      layer: 'E',
      report: 'of version 1 although version 2 is known',
    },
    'F8 a plan outlives the pause': {
      engineBug: 'guard-ignored',
      pools: ['a'],
      budgets: { switch: 1, pause: 1 },
      layer: 'E',
      report: 'although the pause is known',
    },
  };
  it.each(Object.entries(bugs))('%s', (name, { layer, report, ...row }) => {
    const { violation } = explore(spreadWorld({ name, ...row }));
    expect(violation?.message).toContain(report);
    expect(violation?.message.slice(0, 2)).toBe(`${layer}:`);
    expect(violation?.story.split('\n').length).toBeGreaterThan(2);
    // The trace is as short as bugs of this size need: a longer one means that breadth-first order was lost.
    expect(violation?.choices.length).toBeLessThanOrEqual(16);
  });

  it('writes the shortest trace as a story', () => {
    const { violation } = explore(
      spreadWorld({ name: 'c7', engineBug: 'status-of-older-spec', pools: ['a'], budgets: { edit: 1 } }),
    );
    expect(violation?.story).toMatchInlineSnapshot(`
      "c7: E: the status has generation 2 and describes version 1
        1. edit: sets version 2
        2. the operator reconciles edge/web (0 events of spreads.example.test):
             create Child edge/web-a — ChildCreated: pool a is on and has no child
           what it is for is another one by now: nothing is sent
        3. the operator observes edge/web again (0 events of spreads.example.test) and reports
        4. writes status of Spread edge/web: observedGeneration 2; pools []; ready 0; refused []; version 1 → done"
    `);
  });
});

describe('a budget of one', () => {
  const edited = { budgets: { edit: 2, fault: 1 } } as const;
  const lost = ['lost-after', 'lost-before', 'lost-after-read-back', 'lost-before-read-back'] as const;
  const worlds: Readonly<Record<string, Omit<WorldOptions, 'name'>>> = {
    'holds whatever becomes of a request': { ...edited, faults: [...lost, 'refused'] },
    'holds where leadership ends while a reconcile runs': { budgets: { edit: 2, depose: 1 } },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(oneAtATimeWorld({ name, ...row }))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Omit<WorldOptions, 'name'>>> = {
    'is exceeded where a lost answer counts as no write': {
      engineBug: 'in-doubt-not-read-back',
      ...edited,
      faults: ['lost-after'],
    },
    'is exceeded where leadership is not asked': {
      engineBug: 'leadership-not-asked',
      budgets: { edit: 2, depose: 1 },
    },
  };
  it.each(Object.entries(bugs))('%s', (name, row) => {
    const { violation } = explore(oneAtATimeWorld({ name, ...row }));
    expect(violation?.message).toBe('E: a and b are down at once');
    expect(violation?.choices.length).toBeLessThanOrEqual(16);
  });

  it('F1 breaks where a lost response is not looked into', () => {
    const row = { ...edited, faults: ['lost-after'] } as const;
    const { violation } = explore(oneAtATimeWorld({ name: 'F1', engineBug: 'in-doubt-ignored', ...row }));
    expect(violation?.story).toMatchInlineSnapshot(`
      "F1: E: a and b are down at once
        1. edit: sets version 2, b before a
        2. the operator reconciles edge/web (1 event of spreads.example.test):
             delete Child edge/web-b — ChildUpdated: web-b is of version 1
        3. deletes Child edge/web-b: took effect, the response is lost
        4. the operator observes edge/web again (0 events of children.example.test) and reports
        5. edit: sets version 3, a before b
        6. the operator reconciles edge/web (0 events of children.example.test, 1 event of spreads.example.test):
             delete Child edge/web-a — ChildUpdated: web-a is of version 1
        7. deletes Child edge/web-a → done"
    `);
  });
});

describe('the checker itself is checked', () => {
  it('finds fault with a world whose goal is turned around', () => {
    const { violation } = explore(spreadWorld({ name: 'negated', budgets: {}, negated: true }));
    expect(violation?.message).toBe('L: the world can stay so: the goal is negated');
  });

  it('finds that nothing is ever reached where nobody is fair', () => {
    const world = spreadWorld({ name: 'unfair', budgets: { never: 0 } });
    const neighbours = world.neighbours.map((neighbour) => ({ ...neighbour, spends: 'never' }));
    const { violation } = explore({ ...world, neighbours });
    expect(violation?.message).toContain('L: the world can stay so');
  });

  it('fails rather than leave states out', () => {
    expect(() => explore({ ...spreadWorld({ name: 'small', budgets: { edit: 1 } }), most: 100 })).toThrow(
      'small: more than 100 states',
    );
  });

  it('replays exactly the choices of a violation', () => {
    const world = spreadWorld({ name: 'c8', bug: 'unsorted-status', budgets: {} });
    const [first, second] = [explore(world), explore(world)];
    expect(first.violation?.choices).toEqual(second.violation?.choices);
    expect(first.violation?.story).toBe(second.violation?.story);
  });
});
