import { describe, expect, it } from 'vitest';
import type { World } from '../simulation/world.ts';
import { childrenOfLostPoolsWorld, nodesOfLostPoolsWorld } from '../simulation/worlds/lost-pools-world.ts';
import type { LostBug } from '../simulation/worlds/lost-with-definition-world.ts';
import { foundIn } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

const away = { undefine: 1, define: 1 } as const;
const ended = 'whose pool went with the definition of all pools';
const standStill = ['customresourcedefinitions.apiextensions.k8s.io'];
const brief = { lag: 1, spurious: false } as const;

describe('the definition of NodePools is deleted, with all pools: children stay', () => {
  type Row = Omit<Parameters<typeof childrenOfLostPoolsWorld>[0], 'name'>;
  const gone = { ...away, 'pool again': 1 } as const;
  const worlds: Readonly<Record<string, Row>> = {
    'it comes back, and the pool does': { budgets: gone },
    'it does not come back': { budgets: { undefine: 1 } },
    'while the image changes': { budgets: { ...gone, edit: 1 }, lag: 0, spurious: false },
    'the operator dies, or a request fails': { budgets: { ...gone, fault: 1 }, ...brief },
    'a successor has an old definition': { budgets: { ...gone, 'fail-over': 1 }, standStill, ...brief },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(childrenOfLostPoolsWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('and nodes keep what the pools gave them', () => {
  type Row = Omit<Parameters<typeof nodesOfLostPoolsWorld>[0], 'name'>;
  const gone = { ...away, again: 2 } as const;
  const worlds: Readonly<Record<string, Row>> = {
    'it comes back, and the pools do': { budgets: gone, ...brief },
    'it does not come back': { budgets: { undefine: 1 } },
    'the operator dies, or a request fails': { budgets: { ...away, fault: 1 }, ...brief },
    'a successor has an old definition': { budgets: { ...away, 'fail-over': 1 }, standStill, ...brief },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(nodesOfLostPoolsWorld({ name, ...row }))).toEqual(safe);
  });
});

const children = (lostBug: LostBug): World =>
  childrenOfLostPoolsWorld({ name: lostBug, lostBug, budgets: away });
const nodes = (lostBug: LostBug): World => nodesOfLostPoolsWorld({ name: lostBug, lostBug, budgets: away });

describe.each([
  ['children', children],
  ['nodes', nodes],
])('planted: of %s', (_, worldWith) => {
  it.each(['absent-is-deleted', 'new-definition-is-the-old', 'definition-not-confirmed'] as const)(
    '%s',
    (bug) => {
      expect(foundIn(worldWith(bug), ended)).toEqual({ layer: 'E', report: ended, hasStory: true });
    },
  );
});
