import { describe, expect, it } from 'vitest';
import { extendedDaemonSetWorld } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';
import type { ExtendedDaemonSetWorldOptions } from '../simulation/worlds/extended-daemon-set/extended-daemon-set-world.ts';
import { foundIn } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<ExtendedDaemonSetWorldOptions, 'name'>;
const small = { lag: 0, spurious: false } as const;
const one = { nodes: ['a'], ...small } as const;
const canary = { canary: 1, ...small } as const;
/** A template is being rolled out, or tried, when it begins. */
const rolling = { next: 'v2', ...small } as const;
/** What happens before a replica set that is deleted has gone is explored in the worlds without this. */
const prompt = { promptCollector: true } as const;
const oneRolling = { nodes: ['a'], ...rolling } as const;
/** Time promotes no canary, and a person has validated the one before. */
const manual = { canary: 1, manual: true, validated: true, ...oneRolling } as const;

/** The same, with ten minutes between two batches of deletions. */
const spaced = { reconcileFrequency: '10m', ...rolling } as const;

/** Nodes that get pods, of which slow start allows one in ten minutes, and later more. */
const slow = { reconcileFrequency: '10m', slowStart: '15m', ...small } as const;

/** A template is being rolled out, and a policy came that refuses what a node asks for. */
const refusedOn = (node: string) =>
  ({ refusedCpu: '2', annotated: '2', annotatedNodes: [node], ...rolling }) as const;

describe('ExtendedDaemonSets: every interleaving keeps the budget and the canary, and ends as desired and silent', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'a new template': { budgets: { edit: 1 }, ...one },
    'a template that is rolled out': { budgets: {}, ...rolling },
    'a node is removed while a template is rolled out': {
      budgets: { remove: 1 },
      ...oneRolling,
      ...prompt,
    },
    'the operator dies after a request': { budgets: { edit: 1, fault: 1 }, faults: ['crash-after'], ...one },
    'a canary that is healthy': { budgets: { edit: 1 }, ...canary },
    'a request of a canary is refused, or the operator dies': {
      nodes: ['a'],
      budgets: { edit: 1, fault: 1 },
      faults: ['refused', 'crash-after'],
      ...canary,
    },
    'a canary that is never Ready': { budgets: { edit: 1 }, images: ['broken'], ...canary },
    'a canary that cannot start': { budgets: { edit: 1 }, images: ['unpullable'], ...canary },
    'a canary that crashes': { nodes: ['a'], next: 'crashing', budgets: {}, ...canary },
    'a canary that is paused and goes on': {
      nodes: ['a'],
      next: 'v2',
      budgets: { pause: 1, unpause: 1 },
      ...canary,
    },
    'a canary that loses its node': { next: 'broken', budgets: { remove: 1 }, ...canary },
    'a canary whose node goes away before its pod started there': {
      budgets: { edit: 1, away: 1 },
      manual: true,
      withoutImage: { a: 'v2' },
      staysAway: true,
      ...canary,
    },
    'a rollout that is frozen': { budgets: { freeze: 1 }, ...oneRolling, ...prompt },
    'a rollout that is frozen and goes on, while a canary is tried': {
      budgets: { freeze: 1, unfreeze: 1 },
      canary: 1,
      ...oneRolling,
    },
    'a template whose pods are refused': { budgets: { edit: 1 }, refused: 'v2', ...small },
    'a template whose pods are refused, while the operator dies': {
      budgets: { edit: 1, fault: 1 },
      faults: ['crash-after', 'lost-after', 'refused'],
      refused: 'v2',
      ...one,
    },
    'a canary whose pods are refused': { budgets: { edit: 1 }, refused: 'v2', ...canary },
    'a canary whose pods are refused on two nodes of three': {
      budgets: {},
      canary: 1,
      ...refusedOn('a'),
      annotatedNodes: ['a', 'b'],
      nodes: ['a', 'b', 'c'],
    },
    'a canary whose pod is refused on its node alone, while the operator dies': {
      budgets: { fault: 1 },
      faults: ['crash-after'],
      canary: 1,
      ...refusedOn('a'),
    },
    'a node whose resources are refused, while a template is rolled out': { budgets: {}, ...refusedOn('a') },
    'a node whose resources are refused among the first, while a template is rolled out': {
      budgets: {},
      maxUnavailable: 2,
      ...refusedOn('b'),
    },
    'a node whose resources are refused, while the operator dies': {
      budgets: { fault: 1 },
      faults: ['crash-after', 'lost-after', 'refused'],
      ...refusedOn('a'),
    },
    'a node whose pod may not be deleted, while a template is rolled out': {
      budgets: {},
      undeletedOn: 'a',
      ...rolling,
    },
    'a node whose pod may not be deleted, while a template is rolled out in batches': {
      budgets: {},
      undeletedOn: 'a',
      ...spaced,
    },
    'a node whose pod may not be deleted, while the operator dies': {
      budgets: { fault: 1 },
      faults: ['crash-after'],
      undeletedOn: 'a',
      ...rolling,
    },
    'a template that is rolled out in batches': { budgets: {}, ...spaced },
    'a template that is rolled out in batches, while the operator dies or a request fails': {
      budgets: { fault: 1 },
      ...spaced,
    },
    'a template that is rolled out, and when a batch is deleted cannot be recorded': {
      tainted: ['c'],
      budgets: { untaint: 1 },
      unrecordable: true,
      ...spaced,
    },
    'nodes that get pods as slow start allows': {
      nodes: ['a'],
      tainted: ['b', 'c'],
      budgets: { untaint: 2 },
      ...slow,
    },
    'nodes that get pods as slow start allows, while the operator dies': {
      nodes: [],
      tainted: ['b', 'c'],
      budgets: { untaint: 2, fault: 1 },
      faults: ['crash-after'],
      ...slow,
    },
    'a template that is rolled out as slow start allows': {
      budgets: {},
      maxUnavailable: 2,
      next: 'v2',
      ...slow,
    },
    'a setting whose pods are refused, and that is corrected': {
      budgets: { override: 2 },
      refusedCpu: '1',
      ...one,
    },
    'a canary that a person validates': { budgets: { validate: 1 }, ...manual, ...prompt },
    'a canary that a person fails, perhaps when it is about to be promoted': {
      nodes: ['a'],
      next: 'v2',
      budgets: { fail: 1 },
      ...canary,
      ...prompt,
    },
    'a setting that nodes do not follow': { budgets: { override: 2, remove: 1 }, annotated: '3', ...small },
    'a node that the selector takes from now on, while a successor has not seen it': {
      nodes: ['a'],
      leftOut: ['b'],
      budgets: { select: 1, 'fail-over': 1 },
      standStill: ['nodes'],
      ...small,
    },
    'a node whose taint is taken off, while a successor has not seen it': {
      nodes: ['a'],
      tainted: ['b'],
      budgets: { untaint: 1, 'fail-over': 1 },
      standStill: ['nodes'],
      ...small,
    },
    'a rollout that is seen late': { budgets: {}, ...rolling, lag: 1 },
    'a setting that is seen late': { budgets: { override: 1 }, ...one, lag: 1 },
    'a freeze that is seen late': { budgets: { freeze: 1 }, ...oneRolling, ...prompt, lag: 1 },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(extendedDaemonSetWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('planted bugs of ExtendedDaemonSets: each is found', () => {
  interface Planted extends Row {
    readonly layer: string;
    readonly report: string;
  }
  const bugs: Readonly<Record<string, Planted>> = {
    '1 a canary is promoted by time only': {
      bug: 'promoted-by-time',
      budgets: { edit: 1 },
      images: ['broken'],
      layer: 'E',
      report: 'is promoted without a Ready pod on a',
      ...canary,
    },
    '2 a canary is promoted from the cache alone': {
      bug: 'promoted-from-cache',
      nodes: ['a'],
      next: 'v2',
      budgets: { edit: 1 },
      images: ['v3'],
      layer: 'E',
      report: 'is promoted, and the spec asks for another template',
      ...canary,
      lag: 1,
    },
    '3 a canary cleans up outside its nodes': {
      bug: 'canary-cleans-up-elsewhere',
      budgets: { edit: 1 },
      layer: 'E',
      report: 'was deleted, which b is to run',
      ...canary,
    },
    '4 a canary that is paused still deletes': {
      bug: 'paused-still-deletes',
      budgets: { edit: 1, pause: 1 },
      layer: 'E',
      report: 'the pods of a paused canary change',
      ...canary,
    },
    '5 the names of pods are generated': {
      bug: 'generated-names',
      budgets: { edit: 1, fault: 1 },
      faults: ['crash-late'],
      layer: 'E',
      report: 'is made on a, which has one',
      ...one,
    },
    '6 healthy pods are replaced before broken ones': {
      bug: 'healthy-first',
      next: 'broken',
      budgets: { edit: 1 },
      images: ['v3'],
      layer: 'P',
      report: 'which is broken',
      ...small,
    },
    '7 the clock of a canary is that of another replica set': {
      bug: 'clock-of-another',
      ageMs: 20 * 60_000,
      budgets: { edit: 1 },
      layer: 'E',
      report: 'is promoted before its time',
      ...canary,
    },
    '8 canary-unpaused counts for the next template too': {
      bug: 'unpaused-for-all',
      nodes: ['a'],
      next: 'unpullable',
      budgets: { edit: 1, unpause: 1 },
      images: ['broken'],
      layer: 'E',
      report: 'and canary-unpaused was written for',
      ...canary,
    },
    'a freeze is ignored': {
      bug: 'freeze-ignored',
      budgets: { freeze: 1 },
      layer: 'E',
      report: 'pods change while the rollout is frozen',
      ...oneRolling,
    },
    'a plan goes on when the rollout is frozen': {
      bug: 'freeze-not-guarded',
      budgets: { freeze: 1 },
      layer: 'E',
      report: 'pods change while the rollout is frozen',
      ...oneRolling,
    },
    'a successor that has not seen where the canary went takes it back': {
      bug: 'roles-not-guarded',
      next: 'v2',
      manual: true,
      budgets: { away: 1, back: 1, 'fail-over': 1 },
      staysAway: true,
      layer: 'E',
      report: 'was deleted, which a is to run',
      ...canary,
    },
    'canary-valid of another replica set promotes': {
      bug: 'any-canary-valid',
      budgets: {},
      layer: 'E',
      report: 'is promoted before its time',
      ...manual,
    },
    'the budget is that of one plan': {
      bug: 'budget-of-one-plan',
      budgets: {},
      layer: 'E',
      report: '3 nodes are down at once, and 2 may be',
      ...rolling,
      nodes: ['a', 'b', 'c'],
      maxUnavailable: 2,
    },
    'slow start is that of one plan': {
      bug: 'slow-start-of-one-plan',
      nodes: [],
      tainted: ['b', 'c'],
      budgets: { untaint: 2 },
      layer: 'P',
      report: 'pods made: 1 in the interval before and 1 now, and slow start allows 1',
      ...slow,
    },
    'a setting replaces all pods at once': {
      bug: 'overrides-beyond-budget',
      budgets: { override: 1 },
      layer: 'E',
      report: '2 nodes are down at once, and 1 may be',
      ...small,
    },
    'a plan goes on when its setting is taken back': {
      bug: 'settings-not-guarded',
      budgets: { override: 2 },
      layer: 'E',
      report: 'was deleted, which a is to run',
      ...one,
    },
    'pods are compared with the setting where a node has an annotation (BUG-9)': {
      bug: 'settings-before-annotations',
      budgets: { override: 1 },
      layer: 'E',
      report: 'was deleted, which a is to run',
      annotated: '3',
      ...one,
    },
    'pods are deleted although the one that is to replace them is refused': {
      bug: 'trial-ignored',
      budgets: { edit: 1 },
      refused: 'v2',
      layer: 'E',
      report: 'and the one that is to replace it is refused',
      ...one,
    },
    'pods are deleted although the record of their batch is refused': {
      bug: 'record-not-awaited',
      budgets: {},
      unrecordable: true,
      layer: 'E',
      report: 'was deleted, and its batch is not recorded',
      ...spaced,
    },
    'one pod is tried for all, whatever resources they ask for': {
      bug: 'one-trial-for-all',
      budgets: {},
      maxUnavailable: 2,
      layer: 'E',
      report: 'and the one that is to replace it is refused',
      ...refusedOn('b'),
    },
    'a node whose resources are refused keeps the others waiting': {
      bug: 'refusals-not-remembered',
      budgets: {},
      layer: 'L',
      report: 'b does not run v2',
      ...refusedOn('a'),
    },
    'a successor that has not seen that a node is selected ends its pod': {
      bug: 'unfit-from-cache',
      nodes: ['a'],
      leftOut: ['b'],
      budgets: { select: 1, 'fail-over': 1 },
      standStill: ['nodes'],
      layer: 'E',
      report: 'was deleted, which b is to run',
      ...small,
    },
    'a successor that has not seen that a taint was taken off ends the pod of its node': {
      bug: 'taints-from-cache',
      nodes: ['a'],
      tainted: ['b'],
      budgets: { untaint: 1, 'fail-over': 1 },
      standStill: ['nodes'],
      layer: 'E',
      report: 'was deleted, which b is to run',
      ...small,
    },
    'a replica set goes with pods that a successor has not seen': {
      bug: 'obsolete-with-its-pods',
      nodes: ['a'],
      next: 'v2',
      images: ['v1'],
      withoutImage: { a: 'v2' },
      budgets: { edit: 1, 'fail-over': 1 },
      standStill: ['pods'],
      layer: 'E',
      report: 'is deleted, which has agent-a-',
      ...small,
    },
    'what was just made is not seen': {
      engineBug: 'no-write-through',
      budgets: {},
      layer: 'W',
      report: 'delete changed nothing',
      ...rolling,
      lag: 1,
    },
  };
  it.each(Object.entries(bugs))('%s', (name, { layer, report, ...row }) => {
    // Stories of canaries are long: the template, the canary and its pods come before what goes wrong.
    expect(foundIn(extendedDaemonSetWorld({ name, ...row }), report)).toMatchObject({ layer, report });
  });
});
