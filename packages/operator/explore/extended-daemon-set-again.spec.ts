import { describe, expect, it } from 'vitest';
import {
  againWorld,
  type AgainWorldOptions,
} from '../simulation/worlds/extended-daemon-set/extended-daemon-set-again-world.ts';
import { foundIn } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<AgainWorldOptions, 'name'>;
const small = { lag: 0, spurious: false } as const;
const again = { delete: 1, 'make again': 1 } as const;

describe('objects that are deleted and made again: no node gets a second pod in any interleaving', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'its replica sets are kept': { propagation: 'Orphan', budgets: again, spurious: false },
    'somebody deletes its replica set': { budgets: { 'delete its replica set': 1 }, ...small },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(againWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('planted bugs of objects that are made again: each is found', () => {
  const bug = 'sees its own pods alone';
  const bugs: Readonly<Record<string, Row>> = {
    'pods of orphans are not seen': { bug, propagation: 'Orphan', budgets: again, ...small },
    'pods that the garbage collector is about to delete are not seen': { bug, budgets: again, ...small },
  };
  it.each(Object.entries(bugs))('%s', (name, row) => {
    const report = 'has two pods';
    expect(foundIn(againWorld({ name, ...row }), report)).toMatchObject({ layer: 'E', report });
  });
});
