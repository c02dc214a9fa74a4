import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/explorer/explorer.ts';
import { safe, verdictOn } from './verdict-on.ts';
import { noLateRequest } from '../simulation/world.ts';
import { atRest } from '../simulation/story.ts';
import { nodePoolWorld } from '../simulation/worlds/node-pool-world.ts';
import type { NodePoolWorldOptions } from '../simulation/worlds/node-pool-world.ts';

type Row = Omit<NodePoolWorldOptions, 'name'>;

const labels = [
  ['the label of membership', 'nodepool'],
  ['the older label', 'desired-nodepool'],
] as const;

/** The operator dies, and its successor has not read one resource when it begins. */
function unread(resource: string): Row {
  return { budgets: { fault: 1 }, faults: ['crash-unsynced'], unread: resource };
}

describe.each(labels)(
  'NodePool, with nodes put into it by %s: every interleaving is safe, and ends as desired and silent',
  (_label, by) => {
    const worlds: Readonly<Record<string, Row>> = {
      'nothing goes wrong': { budgets: {} },
      'a node moves to another pool or to none': { budgets: { move: 1 } },
      'a node turns not ready': { budgets: { flip: 1 } },
      'a pool is deleted': { budgets: { drop: 1 } },
      'any one request fails in any way, or the operator dies': { budgets: { fault: 1 } },
      'somebody taints a node': { budgets: { 'other writer': 1 } },
      'somebody changes what the pool put there': { budgets: { drift: 1 } },
      'a node that had a value of its own moves to another pool or to none': {
        own: true,
        budgets: { move: 1 },
      },
      'a pool is deleted whose node had a value of its own': { own: true, budgets: { drop: 1 } },
      'the operator dies at any request for a node that had a value of its own and leaves': {
        own: true,
        budgets: { drop: 1, fault: 1 },
        lag: 0,
        spurious: false,
      },
      'a pool loses the label of its type': { budgets: { untype: 1 } },
      'a pool changes what it gives': { budgets: { edit: 1 } },
      'a node is removed': { budgets: { remove: 1 } },
      'a successor begins before pools are read': { ...unread('nodepools.apps.openyurt.io') },
      'a successor begins before nodes are read': { ...unread('nodes') },
      'one of two nodes refuses every write': { nodes: ['n1', 'n2'], refused: 'n1', budgets: {} },
      'a pool is deleted while one of its two nodes refuses every write': {
        nodes: ['n1', 'n2'],
        refused: 'n1',
        budgets: { drop: 1 },
        spurious: false,
      },
    };
    it.each(Object.entries(worlds))('%s', (name, row) => {
      expect(verdictOn(nodePoolWorld({ name, by, ...row }))).toEqual(safe);
    });

    it('from rest: a pool is deleted and made again', () => {
      const row = { by, nodes: ['n1', 'n2'], budgets: { drop: 1, again: 1 }, spurious: false };
      expect(verdictOn(atRest(nodePoolWorld({ name: 'made again', ...row })))).toEqual(safe);
    });

    it('from rest: a node that had a value of its own moves, and moves on', () => {
      const row = { by, own: true as const, budgets: { move: 2 }, lag: 0, spurious: false };
      expect(verdictOn(atRest(nodePoolWorld({ name: 'moves on', ...row })))).toEqual(safe);
    });
  },
);

describe('NodePool: every interleaving of two changes is safe, and ends as desired and silent', () => {
  it('a node moves, and moves on', () => {
    const world = nodePoolWorld({ name: 'moves on', budgets: { move: 2 }, lag: 0, spurious: false });
    expect(verdictOn(world)).toEqual(safe);
  });

  it('a node that is asked into a pool moves while that is deleted, or the other', () => {
    const row = { by: 'desired-nodepool', budgets: { move: 1, drop: 1 }, lag: 0, spurious: false } as const;
    expect(verdictOn(nodePoolWorld({ name: 'moves away', ...row }))).toEqual(safe);
  });
});

describe('NodePool, with a node in a pool that asks by the older label', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'to go elsewhere, and back': { budgets: { ask: 2 } },
    'to go to a pool that is deleted': { budgets: { ask: 1, drop: 1 }, lag: 0, spurious: false },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(nodePoolWorld({ name, ...row }))).toEqual(safe);
  });
});

describe.each(labels)(
  'NodePool, whose pools give the same keys with other values, joined by %s',
  (_label, by) => {
    const calm = { by, conflicting: true, lag: 0, spurious: false } as const;
    const worlds: Readonly<Record<string, Row>> = {
      'a node moves, and moves on': { budgets: { move: 2 } },
      'a node moves while somebody gives a taint of its pool another value': {
        budgets: { move: 1, retaint: 1 },
      },
      'a pool is deleted and made again while a node moves': { budgets: { drop: 1, again: 1, move: 1 } },
      'a pool is deleted, and a node that it tainted gets a value of its own': {
        budgets: { drop: 1, retaint: 1 },
      },
      'a node is removed and registers again, and moves': { budgets: { remove: 1, register: 1, move: 1 } },
      'a node is removed and registers again while its pool is deleted': {
        slowPools: true,
        budgets: { remove: 1, register: 1, drop: 1 },
      },
      'a node moves while a request fails in any way or the operator dies': {
        budgets: { move: 1, fault: 1 },
      },
      // What a dead operator takes off late its successor puts back.
      'a pool is deleted and made again while a request fails or the operator dies': {
        budgets: { drop: 1, again: 1, fault: 1 },
        faults: noLateRequest,
      },
    };
    it.each(Object.entries(worlds))('from rest: %s', (name, row) => {
      expect(verdictOn(atRest(nodePoolWorld({ name, ...calm, ...row })))).toEqual(safe);
    });
  },
);

describe('NodePool, whose pools give the same keys with other values', () => {
  const calm = { by: 'nodepool', conflicting: true, slowPools: true, lag: 0, spurious: false } as const;

  it('from rest: a node moves away and back while a pool is being deleted', () => {
    const row = { ...calm, budgets: { move: 2, drop: 1 } } as const;
    expect(verdictOn(atRest(nodePoolWorld({ name: 'back', ...row })))).toEqual(safe);
  });

  it('from rest: asked elsewhere by the older label while a pool is being deleted', () => {
    const row = { ...calm, budgets: { ask: 2, drop: 1 } } as const;
    expect(verdictOn(atRest(nodePoolWorld({ name: 'asked', ...row })))).toEqual(safe);
  });
});

describe('planted bugs of NodePool: each is found', () => {
  interface Planted extends Row {
    readonly layer: string;
    readonly report: string;
  }
  const bugs: Readonly<Record<string, Planted>> = {
    '1 the record decides, not the node': {
      bug: 'record-decides',
      budgets: { drift: 1 },
      layer: 'L',
      report: 'n1 of pool a has zone=9, not 1',
    },
    '1 the record decides, where somebody gives a taint another value': {
      bug: 'record-decides',
      conflicting: true,
      budgets: { retaint: 1 },
      layer: 'L',
      report: 'n1 of pool a has the taint a=9, not ',
    },
    'the pool that was left cleans up late, where the other gives other values': {
      bug: 'pool-left-cleans-up',
      conflicting: true,
      budgets: { move: 1, drop: 1 },
      slowPools: true,
      layer: 'E',
      report: 'is taken from n1',
    },
    '2 clean-up by key, without the value': {
      bug: 'cleans-up-by-key',
      budgets: { drop: 1, drift: 1 },
      layer: 'E',
      report: 'a label that somebody else wrote is taken',
    },
    '3 the pool that was left cleans up late': {
      bug: 'pool-left-cleans-up',
      budgets: { move: 1 },
      layer: 'E',
      report: 'shared=x is taken from n1, whose pool b gives it',
    },
    '4 the record is written apart from the attributes': {
      bug: 'record-apart-from-attributes',
      budgets: { drop: 1, fault: 1 },
      faults: ['crash-before'],
      layer: 'L',
      report: 'n1 of pool none has zone=1',
    },
    '5 a stale node is written as a whole': {
      bug: 'writes-a-stale-node',
      budgets: { 'other writer': 1 },
      layer: 'E',
      report: 'a taint of somebody else is taken',
    },
    '6 a deleted pool is not cleaned up after': {
      bug: 'forgets-deleted-pools',
      budgets: { drop: 1 },
      layer: 'L',
      report: 'n1 of pool none has zone=1',
    },
    'what a node had before it joined is not noted': {
      bug: 'forgets-earlier-values',
      own: true,
      budgets: { drop: 1 },
      layer: 'L',
      report: 'n1 has left with shared=undefined, and had 9 before',
    },
    '7 Ready is not watched': {
      bug: 'ready-not-watched',
      budgets: { flip: 1 },
      layer: 'L',
      report: 'counts wrongly',
    },
    'the status is that of before the writes': {
      bug: 'status-of-what-was-planned',
      nodes: ['n1', 'n2'],
      budgets: { move: 2 },
      spurious: false,
      layer: 'P',
      report: 'the status of b is to leave out n2, a member',
    },
    // A live read alone would show that the pool is there.
    'c1 unread pools count as none': {
      bug: 'unsynced-is-empty',
      engineBug: 'nothing-read-live',
      ...unread('nodepools.apps.openyurt.io'),
      layer: 'E',
      report: 'is taken from n1',
    },
    'c1 unread nodes count as none': {
      bug: 'unsynced-is-empty',
      ...unread('nodes'),
      layer: 'E',
      report: 'the status leaves out n1',
    },
    'c4 no write-through': {
      engineBug: 'no-write-through',
      budgets: {},
      layer: 'W',
      report: 'patch of what the operator itself has changed',
    },
    'c5 stop at the first error': {
      engineBug: 'stop-at-first-error',
      nodes: ['n1', 'n2'],
      refused: 'n1',
      budgets: {},
      layer: 'L',
      report: 'n2 of pool a',
    },
    'c6 no retry without an event': {
      engineBug: 'no-requeue',
      budgets: { fault: 1 },
      faults: ['refused'],
      layer: 'L',
      report: 'the world can stay so',
    },
    'c7 the status of an older spec under the new generation': {
      bug: 'status-of-older-spec',
      engineBug: 'status-of-older-spec',
      budgets: { edit: 1 },
      layer: 'E',
      report: 'Ready of generation 2, which n1 never was brought up to',
    },
    'c8 an unsorted status': {
      bug: 'unsorted-status',
      nodes: ['n1', 'n2'],
      budgets: {},
      layer: 'S',
      report: 'not sorted: n2, n1',
    },
  };
  it('that a pool is gone is not confirmed for each of its nodes', () => {
    const row = { engineBug: 'irreversible-from-cache', budgets: { drop: 1, again: 1 } } as const;
    const { violation } = explore(atRest(nodePoolWorld({ name: 'made again', ...row })));
    expect(violation?.message).toBe('E: zone=1 is taken from n1, whose pool a gives it');
  });

  it.each(Object.entries(bugs))('%s', (name, { layer, report, ...row }) => {
    const { violation } = explore(nodePoolWorld({ name, ...row }));
    expect(violation?.message).toContain(report);
    expect(violation?.message.slice(0, 2)).toBe(`${layer}:`);
    expect(violation?.choices.length).toBeLessThanOrEqual(16);
  });
});
