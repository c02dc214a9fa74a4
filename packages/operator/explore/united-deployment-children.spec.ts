import { describe, expect, it } from 'vitest';
import { atRest } from '../simulation/story.ts';
import { orphansWorld } from '../simulation/worlds/united-deployment/united-deployment-orphans-world.ts';
import type { OrphansWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-orphans-world.ts';
import { removalWorld } from '../simulation/worlds/united-deployment/united-deployment-removal-world.ts';
import type { RemovalWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-removal-world.ts';
import { duplicatesWorld } from '../simulation/worlds/united-deployment/united-deployment-duplicates-world.ts';
import type { DuplicatesWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-duplicates-world.ts';
import { noLateRequest } from '../simulation/world.ts';
import { childrenLetGo } from './children-let-go.ts';
import { foundIn, type Found } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

const brief = { lag: 0, spurious: false } as const;
/** Pods are there, and time passes. */
const withPods = { kind: 'CloneSet', patient: true, spurious: false } as const;
const one = { subsets: [{ name: 'a' }], total: 1 } as const;

describe('children that stay until others have taken their place', () => {
  type Row = Omit<RemovalWorldOptions, 'name'>;
  const worlds: Readonly<Record<string, Row>> = {
    'a subset is removed, and as many pods are ready all the time': { budgets: { subset: 1 }, ready: true },
    'a subset is removed, and comes back': { budgets: { subset: 2 } },
    'a subset is removed while the total changes': { budgets: { subset: 1, scale: 1 }, ...brief },
    'a subset is removed while the user asks otherwise': { budgets: { subset: 1, phases: 1 } },
    'a subset is removed, and a request fails in any way or the operator dies': {
      budgets: { subset: 1, fault: 1 },
      ready: true,
      ...brief,
    },
    'the template becomes one of another kind, and as many pods are ready all the time': {
      budgets: { kind: 1 },
      ready: true,
      slowly: true,
      ...brief,
    },
    'a subset is removed, and the pods of the other are updated before they are available': {
      budgets: { subset: 1 },
      ready: true,
      slowly: true,
    },
    'the template becomes one of another kind, and back': { ...one, budgets: { kind: 2 }, ...brief },
    'the kind changes, and then the template': { ...one, budgets: { kind: 1, edit: 1 }, ...brief },
    'the kind changes while the user asks otherwise': { ...one, budgets: { kind: 1, phases: 1 } },
    'the kind changes while the user begins to ask for it': {
      ...one,
      twoPhases: false,
      budgets: { kind: 1, phases: 1 },
    },
    'a subset is removed while the other has room for fewer, and room comes or goes': {
      ...withPods,
      rooms: [1, 1],
      budgets: { subset: 1, room: 1 },
      ready: true,
    },
    'a subset is removed while the other is marked to have no room': {
      ...withPods,
      schedule: { type: 'Adaptive' },
      rooms: [1, 1],
      budgets: { subset: 1, time: 4 },
      ready: true,
    },
    'the kind changes, and a request fails in any way or the operator dies': {
      ...one,
      budgets: { kind: 1, fault: 1 },
      ready: true,
      ...brief,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(atRest(removalWorld({ name, ...row })))).toEqual(safe);
  });

  const early = 'before others have taken its place';
  const bugs: Readonly<Record<string, Row & Found>> = {
    'nobody reads what the user asks for': {
      removalBug: 'goes-at-once',
      budgets: { subset: 1 },
      layer: 'E',
      report: `web-b-gqm5wrwp goes ${early}`,
    },
    'a plan outlives what the user asked': {
      removalBug: 'guard-without-annotation',
      ...one,
      twoPhases: false,
      budgets: { kind: 1, phases: 1 },
      layer: 'E',
      report: `web-a-wz4r64l5 goes ${early}`,
    },
    'others are there, and that is enough': {
      removalBug: 'presence-is-enough',
      budgets: { kind: 1 },
      layer: 'E',
      report: `web-a-wz4r64l5 goes ${early}`,
    },
    'others are of the wanted template, and that is enough': {
      removalBug: 'updated-is-enough',
      slowly: true,
      budgets: { kind: 1 },
      layer: 'E',
      report: `web-a-wz4r64l5 goes ${early}`,
    },
    'children stay for ever': {
      removalBug: 'waits-for-ever',
      budgets: { subset: 1 },
      layer: 'L',
      report: 'subsets a want children; there are a:2@web:1, b:1@web:1',
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, ...row }) => {
    expect(foundIn(atRest(removalWorld({ name, ...row })), report)).toEqual({
      layer,
      report,
      hasStory: true,
    });
  });
});

describe('children that nobody owns: what was ours comes back, and nothing else', () => {
  type Row = Omit<OrphansWorldOptions, 'name'>;
  const worlds: Readonly<Record<string, Row>> = {
    'it was ours, and the total changes': { orphans: ['ours'], budgets: { scale: 1 } },
    'it was ours under Kruise, and the total changes': { orphans: ['of Kruise'], budgets: { scale: 1 } },
    'two of one subset, and the total changes': { orphans: ['ours', 'of Kruise'], budgets: { scale: 1 } },
    'it was that of another one with the same selector': { orphans: ['of web-2'], budgets: {} },
    'it was that of another one with the same selector, under Kruise': {
      orphans: ['of web-2 of Kruise'],
      budgets: {},
    },
    "a person's": { orphans: ['of a person'], budgets: {} },
    'somebody else takes it': { orphans: ['ours'], budgets: { takes: 1 } },
    'somebody deletes it': { orphans: ['ours'], budgets: { 'others delete orphans': 1 } },
    'the template changes meanwhile': { orphans: ['ours'], budgets: { edit: 1 } },
    'the UnitedDeployment is deleted meanwhile': {
      orphans: ['ours'],
      budgets: { remove: 1 },
      ...brief,
    },
    'a request fails in any way, or the operator dies': {
      orphans: ['ours'],
      budgets: { fault: 1 },
      ...brief,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(orphansWorld({ name, ...row }))).toEqual(safe);
  });

  it.each(Object.entries(childrenLetGo))('%s', (name, row) => {
    expect(verdictOn(atRest(orphansWorld({ name, ...row })))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Row & Found>> = {
    'it is taken from somebody who has it by now': {
      orphansBug: 'adopts-by-old-caches',
      orphans: ['ours'],
      budgets: { takes: 1 },
      layer: 'E',
      report: 'web-a-96v9ng2l is not ours',
    },
    'labels are enough': {
      orphansBug: 'adopts-by-labels-alone',
      orphans: ['of web-2 of Kruise'],
      budgets: {},
      layer: 'E',
      report: 'web-2-a-x7f2k is adopted, which was never ours',
    },
    'what has no owner is left alone': {
      orphansBug: 'never-adopts',
      orphans: ['of Kruise'],
      budgets: {},
      layer: 'L',
      report: 'web-a-x7f2k has no owner',
    },
    'S6 it is given to an owner from the cache alone': {
      engineBug: 'nothing-read-live',
      fromRest: true,
      budgets: { orphan: 1 },
      layer: 'E',
      report: 'is given to an owner that is going',
    },
    'it is written as if nobody could have let it go meanwhile': {
      bug: 'moves-by-old-caches',
      fromRest: true,
      budgets: { orphan: 1, scale: 1 },
      layer: 'E',
      report: 'Deployment web-a-wz4r64l5 is not ours',
    },
    "nobody waits to see what becomes of a namesake's child, or looks": {
      orphansBug: 'old-child-is-no-matter',
      engineBug: 'nothing-listed-live',
      fromRest: true,
      patient: true,
      budgets: { orphan: 1, again: 1 },
      layer: 'L',
      report: 'web-a-wz4r64l5 has no owner',
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, fromRest, ...row }) => {
    const found = foundIn(orphansWorld({ name, ...row }), report, fromRest);
    expect(found).toEqual({ layer, report, hasStory: true });
  });
});

describe('two children in one subset: the one that serves stays', () => {
  type Row = Omit<DuplicatesWorldOptions, 'name'>;
  const worlds: Readonly<Record<string, Row>> = {
    'the older one serves, and pods break or recover': { serving: 'older', budgets: { health: 1 } },
    'the younger one serves, and pods break and recover': { serving: 'younger', budgets: { health: 2 } },
    'both serve, and pods break and recover': { budgets: { health: 2 } },
    'the template changes': { serving: 'younger', budgets: { edit: 1 } },
    'of StatefulSets, while the total changes': {
      kind: 'StatefulSet',
      serving: 'younger',
      budgets: { scale: 1, health: 1 },
      ...brief,
    },
    'pods break or recover, and a request fails or the operator dies': {
      budgets: { health: 1, fault: 1 },
      // A deletion that a dead operator left under way, and another one of its successor, may take both.
      faults: noLateRequest,
      ...brief,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(duplicatesWorld({ name, ...row }))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Row & Found>> = {
    'it goes by what was known of its pods': {
      duplicatesBug: 'goes-by-old-caches',
      serving: 'younger',
      budgets: { health: 2 },
      layer: 'E',
      report: 'web-a-0 goes, whose pods are available by now',
    },
    'the older one stays, no matter which one serves': {
      duplicatesBug: 'oldest-stays',
      serving: 'younger',
      budgets: {},
      layer: 'E',
      report: 'web-a-wz4r64l5 goes, which alone has available pods',
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, ...row }) => {
    expect(foundIn(duplicatesWorld({ name, ...row }), report)).toEqual({ layer, report, hasStory: true });
  });
});
