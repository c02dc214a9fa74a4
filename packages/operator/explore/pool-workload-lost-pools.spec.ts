import { describe, expect, it } from 'vitest';
import { lostPoolsWorld } from '../simulation/worlds/pool-workload-lost-pools-world.ts';
import type { LostPoolsWorldOptions } from '../simulation/worlds/pool-workload-lost-pools-world.ts';
import { foundIn, type Found } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<LostPoolsWorldOptions, 'name'>;
const gone = { undefine: 1, define: 1, 'pool again': 1 } as const;
const ended = 'whose pool went with the definition of all pools';

describe('the definition of NodePools is deleted, with all pools: children stay', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'it comes back, and the pool does': { budgets: gone },
    'it does not come back': { budgets: { undefine: 1 } },
    'while the image changes': { budgets: { ...gone, edit: 1 }, lag: 0, spurious: false },
    'the operator dies, or a request fails': { budgets: { ...gone, fault: 1 }, lag: 1, spurious: false },
    'a successor has an old definition': {
      budgets: { ...gone, 'fail-over': 1 },
      standStill: ['customresourcedefinitions.apiextensions.k8s.io'],
      lag: 1,
      spurious: false,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(lostPoolsWorld({ name, ...row }))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Row & Found>> = {
    'absent is deleted': {
      lostBug: 'absent-is-deleted',
      budgets: { undefine: 1 },
      layer: 'E',
      report: ended,
    },
    'a new definition is the old one': {
      lostBug: 'new-definition-is-the-old',
      budgets: gone,
      layer: 'E',
      report: ended,
    },
    'the definition is as the cache shows it': {
      lostBug: 'definition-not-confirmed',
      budgets: { undefine: 1 },
      layer: 'E',
      report: ended,
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, ...row }) => {
    expect(foundIn(lostPoolsWorld({ name, ...row }), report)).toEqual({ layer, report, hasStory: true });
  });
});
