import { describe, expect, it } from 'vitest';
import { atRest } from '../simulation/story.ts';
import { strangersWorld } from '../simulation/worlds/united-deployment/united-deployment-strangers-world.ts';
import type { StrangersWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-strangers-world.ts';
import { foundIn, type Found } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<StrangersWorldOptions, 'name'>;
const brief = { lag: 0, spurious: false } as const;
const one = { subsets: [{ name: 'a' }], total: 1 } as const;

describe('beside a stranger: nothing is written that is not ours, and what keeps a subset without its child is named', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'it makes a Deployment with the name of a child, while a subset goes and comes back': {
      strange: ['by name'],
      budgets: { subset: 2, strange: 1 },
      ...brief,
    },
    'the same, with the UnitedDeployment as its controller': {
      strange: ['by name, as ours'],
      budgets: { subset: 2, strange: 1 },
      ...brief,
    },
    'it gives the UnitedDeployment a Deployment, while the template changes': {
      strange: ['as ours'],
      budgets: { strange: 1, edit: 1 },
    },
    'it makes a Deployment with the labels of a child, while a subset goes and comes back': {
      strange: ['with labels, of somebody else'],
      budgets: { subset: 2, strange: 1 },
      ...brief,
    },
    'it relabels a child, twice': { ...one, budgets: { relabel: 2 } },
    'it relabels a child, while a subset is removed': { budgets: { relabel: 1, subset: 1 }, ...brief },
    'it relabels a child, and a request fails in any way or the operator dies': {
      ...one,
      budgets: { relabel: 1, fault: 1 },
      ...brief,
    },
    'it takes a child, or its owner off it': { budgets: { 'let go': 1 } },
    'it does so, and relabels it': { ...one, budgets: { 'let go': 1, relabel: 1 } },
    'it does so, while a subset is removed': { budgets: { 'let go': 1, subset: 1 }, ...brief },
    'it does so, while the kind changes': { ...one, budgets: { 'let go': 1, kind: 1 }, ...brief },
    'it does so, and a request fails in any way or the operator dies': {
      ...one,
      budgets: { 'let go': 1, fault: 1 },
      ...brief,
    },
  };
  it.each(Object.entries(worlds))('from rest: %s', (name, row) => {
    expect(verdictOn(atRest(strangersWorld({ name, ...row })))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Row & Found>> = {
    'a child is deleted that somebody let go meanwhile': {
      orphansBug: 'deletes-by-old-caches',
      budgets: { 'let go': 1, subset: 1 },
      ...brief,
      layer: 'E',
      report: 'Deployment web-b-gqm5wrwp is not ours',
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, ...row }) => {
    const found = foundIn(atRest(strangersWorld({ name, ...row })), report);
    expect(found).toEqual({ layer, report, hasStory: true });
  });
});
