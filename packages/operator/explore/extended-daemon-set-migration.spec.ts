import { describe, expect, it } from 'vitest';
import {
  migrationWorld,
  type MigrationWorldOptions,
} from '../simulation/worlds/extended-daemon-set/extended-daemon-set-migration-world.ts';
import { foundIn } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<MigrationWorldOptions, 'name'>;
const small = { lag: 0, spurious: false } as const;

describe('migrations from a DaemonSet: no node has two pods in any interleaving, and all are replaced', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'its DaemonSet is deleted and its pods are kept, while caches are behind one another': {
      nodes: ['a'],
      budgets: { 'hand over': 1 },
      spurious: false,
    },
    'its DaemonSet makes no pods any more': { nodes: ['a'], inert: true, budgets: {}, ...small },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(migrationWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('planted bugs of migrations: each is found', () => {
  const bugs: Readonly<Record<string, Row & { readonly layer: string; readonly report: string }>> = {
    'the DaemonSet is not waited for': {
      bug: 'does not wait for it',
      budgets: {},
      layer: 'E',
      report: 'has two pods',
      ...small,
    },
    'pods that still name a DaemonSet which is gone are not known': {
      bug: 'counts only pods without an owner',
      nodes: ['a'],
      budgets: { 'hand over': 1 },
      spurious: false,
      layer: 'E',
      report: 'has two pods',
    },
    'its pods are not labelled': {
      bug: 'labels nothing',
      nodes: ['a'],
      budgets: { 'hand over': 1 },
      layer: 'L',
      report: 'is not labelled',
      ...small,
    },
  };
  it.each(Object.entries(bugs))('%s', (name, { layer, report, ...row }) => {
    expect(foundIn(migrationWorld({ name, ...row }), report)).toMatchObject({ layer, report });
  });
});
