import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/explorer.ts';
import { nodePoolWorld } from '../simulation/worlds/node-pool-world.ts';
import type { NodePoolWorldOptions } from '../simulation/worlds/node-pool-world.ts';

type Row = Omit<NodePoolWorldOptions, 'name'>;

describe('NodePool: every interleaving is safe, and ends as desired and silent', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'nothing goes wrong': { budgets: {} },
    'a node moves to another pool or to none': { budgets: { move: 1 } },
    'a node turns not ready': { budgets: { flip: 1 } },
    'a pool is deleted': { budgets: { drop: 1 } },
    'any one request fails in any way, or the operator dies': { budgets: { fault: 1 } },
    'somebody taints a node': { budgets: { rival: 1 } },
    'somebody changes what the pool put there': { budgets: { drift: 1 } },
    'one of two nodes refuses every write': { nodes: ['n1', 'n2'], refused: 'n1', budgets: {} },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    const { violation, states } = explore(nodePoolWorld({ name, ...row }));
    expect(violation?.story).toBeUndefined();
    expect(states).toBeGreaterThan(50);
  });
});

describe('planted bugs of NodePool: each is found', () => {
  interface Planted extends Row {
    readonly layer: string;
    readonly says: string;
  }
  const bugs: Readonly<Record<string, Planted>> = {
    '1 the record decides, not the node': {
      bug: 'record-decides',
      budgets: { drift: 1 },
      layer: 'L',
      says: 'n1 of pool a has zone=9, not 1',
    },
    '2 clean-up by key, without the value': {
      bug: 'cleans-up-by-key',
      budgets: { drop: 1, drift: 1 },
      layer: 'E',
      says: 'a label that somebody else wrote is taken',
    },
    '4 the record is written apart from the attributes': {
      bug: 'record-apart-from-attributes',
      budgets: { drop: 1, fault: 1 },
      faults: ['crash-before'],
      layer: 'L',
      says: 'n1 of pool none has zone=1',
    },
    '5 a stale node is written as a whole': {
      bug: 'writes-a-stale-node',
      budgets: { rival: 1 },
      layer: 'E',
      says: 'a taint of somebody else is taken',
    },
    '6 a deleted pool is not cleaned up after': {
      bug: 'forgets-deleted-pools',
      budgets: { drop: 1 },
      layer: 'L',
      says: 'n1 of pool none has zone=1',
    },
    '7 Ready is not watched': {
      bug: 'ready-not-watched',
      budgets: { flip: 1 },
      layer: 'L',
      says: 'counts wrongly',
    },
  };
  it.each(Object.entries(bugs))('%s', (name, { layer, says, ...row }) => {
    const { violation } = explore(nodePoolWorld({ name, ...row }));
    expect(violation?.message).toContain(says);
    expect(violation?.message.slice(0, 2)).toBe(`${layer}:`);
    expect(violation?.choices.length).toBeLessThanOrEqual(16);
  });
});
