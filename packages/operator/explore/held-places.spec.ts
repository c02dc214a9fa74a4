import { describe, expect, it } from 'vitest';
import type { HeldPlacesBug } from '../simulation/worlds/held-places-world.ts';
import { heldPoolsWorld } from '../simulation/worlds/held-pools-world.ts';
import { heldSubsetsWorld } from '../simulation/worlds/held-subsets-world.ts';
import type { UnitedDeploymentWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-world.ts';
import type { WorldOptions } from '../simulation/worlds/world-options.ts';
import { foundIn, type Found } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<WorldOptions, 'name'>;

const quiet = { lag: 0, spurious: false } as const;
const kinds = {
  pools: (row: Row, bug?: HeldPlacesBug) => heldPoolsWorld({ name: 'pools', ...row }, bug),
  subsets: (row: Row, bug?: HeldPlacesBug) => heldSubsetsWorld({ name: 'subsets', ...row }, bug),
} as const;

describe.each(Object.entries(kinds))('%s that are released one by one', (_name, world) => {
  const worlds: Readonly<Record<string, Row>> = {
    'a new image reaches what is released, and nothing else': {
      budgets: { edit: 1, unhold: 2 },
      ...quiet,
    },
    'a new image, and all are scaled': { budgets: { edit: 1, scale: 1 }, ...quiet },
    'what is held keeps its kind while the others change theirs': {
      budgets: { kind: 1, unhold: 1 },
      ...quiet,
    },
    'what joins gets what was complete': { budgets: { edit: 1, unhold: 1, join: 1 }, ...quiet },
    'what joins during a change of kind gets the old one': {
      budgets: { kind: 1, join: 1 },
      ...quiet,
    },
    'a request fails in any way, or the operator dies': {
      budgets: { edit: 1, unhold: 1, fault: 1 },
      ...quiet,
    },
  };
  it.each(Object.entries(worlds))('%s', (_row, row) => {
    expect(verdictOn(world(row))).toEqual(safe);
  });
});

describe('subsets that are held at CloneSets while the template asks for Deployments', () => {
  /** Pods find a node or none, and replicas move to where they do, whatever the template asks for. */
  const adaptive = {
    kind: 'CloneSet',
    schedule: { type: 'Adaptive' },
    total: 1,
    totals: [2],
    rooms: [1, 2],
    patient: true,
    ...quiet,
  } as const;
  const worlds: Readonly<Record<string, Omit<UnitedDeploymentWorldOptions, 'name'>>> = {
    'the total grows where the first subset is full': {
      ...adaptive,
      budgets: { kind: 1, time: 4, scale: 1 },
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(heldSubsetsWorld({ name, ...row }))).toEqual(safe);
  });
});

describe.each(Object.entries(kinds))('planted bugs over %s: each is found', (_name, world) => {
  const bugs: readonly (readonly [HeldPlacesBug, Row, Found])[] = [
    [
      'holds-nothing',
      { budgets: { edit: 1 }, ...quiet },
      { layer: 'E', report: 'which is held, becomes Deployment web:2' },
    ],
    [
      'holds-nothing',
      { budgets: { kind: 1 }, ...quiet },
      { layer: 'E', report: 'which is held, is made as StatefulSet web:1' },
    ],
    [
      'joins-at-the-newest',
      { budgets: { edit: 1, join: 1 }, ...quiet },
      { layer: 'E', report: 'which is held, is made as Deployment web:2' },
    ],
    [
      'joins-at-the-newest',
      { budgets: { kind: 1, join: 1 }, ...quiet },
      { layer: 'E', report: 'which is held, is made as StatefulSet web:1' },
    ],
  ];
  it.each(bugs)('%s %j', (bug, row, { layer, report }) => {
    expect(foundIn(world(row, bug), report)).toEqual({ layer, report, hasStory: true });
  });
});
