import { describe, expect, it } from 'vitest';
import { atRest } from '../simulation/story.ts';
import { poolOrphansWorld } from '../simulation/worlds/pool-workload-orphans-world.ts';
import type { PoolOrphansWorldOptions } from '../simulation/worlds/pool-workload-orphans-world.ts';
import { childrenLetGo } from './children-let-go.ts';
import { foundIn, type Found } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<PoolOrphansWorldOptions, 'name'>;
const brief = { lag: 0, spurious: false } as const;

describe('children in pools that nobody owns: what was ours comes back, and nothing else', () => {
  const worlds: Readonly<Record<string, Row>> = {
    "it was the old operator's, and the template changes": {
      orphans: ['of the old operator'],
      budgets: { edit: 1 },
    },
    'it was that of another one with the same selector': { orphans: ['of web-2'], budgets: {} },
    'it was ours, of another one with the same selector': { orphans: ['ours of web-2'], budgets: {} },
    'it was ours, of the other kind with this name, whose revision goes': {
      orphans: ['ours of the other kind'],
      budgets: {},
      spurious: false,
    },
    'somebody else takes it': { orphans: ['of the old operator'], budgets: { takes: 1 } },
    'somebody deletes it': { orphans: ['of the old operator'], budgets: { 'others delete orphans': 1 } },
    'its pool leaves': { orphans: ['of the old operator'], budgets: { select: 1 }, ...brief },
    'it is restored shortly before the workload, and no cache may hold it yet': {
      restored: true,
      budgets: { restore: 1, again: 1 },
    },
    'a request fails in any way, or the operator dies': {
      orphans: ['of the old operator'],
      budgets: { fault: 1 },
      ...brief,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(poolOrphansWorld({ name, ...row }))).toEqual(safe);
  });

  const oneOfTwo: Row = {
    pools: ['hz', 'sh'],
    oldRendering: true,
    lag: 2,
    patient: true,
    budgets: { orphan: 1, 'others delete orphans': 1, restore: 1, again: 1 },
  };
  const fromRest: Readonly<Record<string, Row>> = {
    'one of two is restored before the workload, and is seen after the other': oneOfTwo,
    'somebody takes the owner off a child, while the template changes': { budgets: { 'let go': 1, edit: 1 } },
    'somebody takes the owner off a child, while its pool leaves': {
      budgets: { 'let go': 1, select: 1 },
      ...brief,
    },
  };
  it.each(Object.entries({ ...childrenLetGo, ...fromRest }))('%s', (name, row) => {
    expect(verdictOn(atRest(poolOrphansWorld({ name, ...row })))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Row & Found>> = {
    'it is taken from somebody who has it by now': {
      orphansBug: 'adopts-by-old-caches',
      orphans: ['of the old operator'],
      budgets: { takes: 1 },
      layer: 'E',
      report: 'web-hz-old15 is not ours',
    },
    'it is deleted although somebody let it go meanwhile': {
      orphansBug: 'deletes-by-old-caches',
      fromRest: true,
      budgets: { 'let go': 1, select: 1 },
      ...brief,
      layer: 'E',
      report: 'is not ours',
    },
    'labels are enough': {
      orphansBug: 'adopts-by-labels-alone',
      orphans: ['ours of web-2'],
      budgets: {},
      layer: 'E',
      report: 'web-2-hz-gh45k2xz is adopted, which was never ours',
    },
    'labels are enough, and a revision shows whose it was': {
      orphansBug: 'adopts-by-labels-alone',
      orphans: ['ours of the other kind'],
      budgets: {},
      layer: 'E',
      report: 'is adopted, which was made for another',
    },
    'what has no owner is left alone': {
      orphansBug: 'never-adopts',
      orphans: ['of the old operator'],
      budgets: {},
      layer: 'L',
      report: 'web-hz-old15 has no owner',
    },
    'it may be in no cache yet, and nobody looks': {
      engineBug: 'nothing-listed-live',
      restored: true,
      budgets: { restore: 1, again: 1 },
      layer: 'L',
      report: 'has no owner',
    },
    'it is seen after another one that came back': {
      orphansBug: 'one-that-came-back-is-all',
      fromRest: true,
      ...oneOfTwo,
      layer: 'L',
      report: 'has no owner',
    },
    'it is given to an owner from the cache alone': {
      engineBug: 'nothing-read-live',
      fromRest: true,
      budgets: { orphan: 1 },
      layer: 'E',
      report: 'is given to an owner that is going',
    },
    "nobody waits to see what becomes of a namesake's child, or looks": {
      orphansBug: 'old-child-is-no-matter',
      engineBug: 'nothing-listed-live',
      fromRest: true,
      patient: true,
      budgets: { orphan: 1, again: 1 },
      layer: 'L',
      report: 'has no owner',
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, fromRest, ...row }) => {
    const found = foundIn(poolOrphansWorld({ name, ...row }), report, fromRest);
    expect(found).toEqual({ layer, report, hasStory: true });
  });
});
