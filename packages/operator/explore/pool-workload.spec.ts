import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/explorer/explorer.ts';
import { safe, verdictOn } from './verdict-on.ts';
import { atRest } from '../simulation/story.ts';
import { web } from '../simulation/worlds/pool-workload-objects.ts';
import { poolWorkloadWorld } from '../simulation/worlds/pool-workload-world.ts';
import { yurtAppDaemonKind } from '../src/pool-workload/controller.ts';
import type { PoolWorkloadWorldOptions } from '../simulation/worlds/pool-workload-world.ts';

type Row = Omit<PoolWorkloadWorldOptions, 'name'>;
const one = ['hz'];
const ofOneName = [web, { namespace: 'shop', name: 'web' }];
const ofOneNamespace = [web, { namespace: 'edge', name: 'shop' }];
/** As an older operator left it. */
const left = { kind: yurtAppDaemonKind, pools: one } as const;

describe('UnitedDaemonSet: every interleaving is safe, and ends as desired and silent', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'two pools, nothing goes wrong': { summaries: true, budgets: {} },
    'a pool stops matching or matches': { pools: one, budgets: { select: 1 } },
    'a pool is deleted and another writer deletes the child': {
      pools: one,
      budgets: { drop: 1, 'other writer': 1 },
    },
    'any one request fails in any way, or the operator dies': { pools: one, budgets: { fault: 1 } },
    'the template changes while another writer changes the child': {
      pools: one,
      budgets: { edit: 1, drift: 1 },
      lag: 0,
    },
    'the template changes, and a request is lost or late': {
      pools: one,
      budgets: { edit: 1, fault: 1 },
      faults: ['lost-after', 'crash-late'],
      lag: 0,
      spurious: false,
    },
    'the workload is labelled and scaled': {
      pools: one,
      budgets: { relabel: 1, scale: 1 },
      lag: 0,
      spurious: false,
    },
    'the template becomes one of the other kind': { pools: one, budgets: { kind: 1 } },
    'the kind changes, and the operator dies': {
      pools: one,
      budgets: { kind: 1, fault: 1 },
      faults: ['crash-before', 'crash-after'],
      lag: 0,
      spurious: false,
    },
    'a pool is tainted': { pools: one, budgets: { taint: 1 } },
    'another writer deletes the child in the foreground': { pools: one, budgets: { foreground: 1 } },
    'a child hangs in its deletion for ever': { pools: one, hung: true, budgets: { foreground: 1 } },
    'a pool is deleted slowly, and its child by another writer': {
      pools: one,
      slowPools: true,
      budgets: { drop: 1, 'other writer': 1 },
      lag: 0,
      spurious: false,
    },
    'it is deleted in the foreground, and a request fails in any way or the operator dies': {
      pools: one,
      budgets: { 'remove in the foreground': 1, fault: 1 },
      lag: 0,
      spurious: false,
    },
    'YurtAppDaemon: a pool stops matching or matches': {
      kind: yurtAppDaemonKind,
      pools: one,
      budgets: { select: 1 },
    },
    'the child of one pool is refused for ever': { refused: 'bj', budgets: {} },
    'the child of one pool is refused for ever, and the template changes': {
      refused: 'bj',
      budgets: { edit: 1 },
      lag: 0,
      spurious: false,
    },
    'a stranger carries our labels': { pools: one, stranger: true, budgets: {} },
    'a successor begins before pools are read': {
      pools: one,
      budgets: { fault: 1 },
      faults: ['crash-unsynced'],
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(poolWorkloadWorld({ name, ...row }))).toEqual(safe);
  });

  const changes: Readonly<Record<string, Row>> = {
    'it is deleted in the foreground': { budgets: { 'remove in the foreground': 1 } },
    "the template changes, and a successor's watch of the workload has stood still": {
      budgets: { edit: 1, 'fail-over': 1 },
    },
    "it is scaled, and a successor's watch of the workload has stood still": {
      budgets: { scale: 1, 'fail-over': 1 },
    },
    'the template changes, and a successor starts from an old list of everything of its own': {
      budgets: { edit: 1, 'fail-over': 1 },
      standStill: ['uniteddaemonsets.apps.openyurt.io', 'deployments.apps', 'controllerrevisions.apps'],
      spurious: false,
    },
    "a pool joins, and a successor's watch of pools has stood still": {
      joining: true,
      budgets: { select: 1, 'fail-over': 1 },
      standStill: ['nodepools.apps.openyurt.io'],
    },
    'the template becomes one of another kind and back, and another writer deletes the child that serves again':
      {
        pools: one,
        budgets: { kind: 2, 'other writer': 1 },
        lag: 0,
        spurious: false,
      },
    'a pool that is being deleted stops matching and comes back': {
      slowPools: true,
      budgets: { select: 2, drop: 1 },
      lag: 0,
      spurious: false,
    },
    'a pool that is being deleted is tainted': {
      slowPools: true,
      budgets: { taint: 1, drop: 1 },
      lag: 0,
      spurious: false,
    },
    'a pool is deleted while its workload is deleted, in the foreground or not': {
      slowPools: true,
      budgets: { drop: 1, remove: 1, 'remove in the foreground': 1 },
      lag: 0,
      spurious: false,
    },
    'a pool stops matching and comes back while another writer deletes the child': {
      budgets: { select: 2, 'other writer': 1 },
    },
    'a pool stops matching and comes back while a request fails in any way or the operator dies': {
      budgets: { select: 2, fault: 1 },
      spurious: false,
    },
  };
  it.each(Object.entries(changes))('from rest: %s', (name, row) => {
    expect(verdictOn(atRest(poolWorkloadWorld({ name, pools: one, ...row })))).toEqual(safe);
  });
});

describe('YurtAppDaemon, as an older operator left it: taken over without a restart or a duplicate child', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'one child, nothing goes wrong': { old: 'one', budgets: {} },
    'one child, while a request fails in any way or the operator dies': {
      old: 'one',
      budgets: { fault: 1 },
      spurious: false,
    },
    'one child, while the template changes': { old: 'one', budgets: { edit: 1 }, spurious: false },
    'one child of another template, while a request fails in any way or the operator dies': {
      old: 'put back',
      budgets: { fault: 1 },
      lag: 0,
      spurious: false,
    },
    'one child of another template, while the template changes': {
      old: 'put back',
      budgets: { edit: 1 },
      lag: 0,
      spurious: false,
    },
    'duplicate children of one age': { old: 'duplicates', budgets: {} },
    'duplicate children of one age, while a request fails in any way or the operator dies': {
      old: 'duplicates',
      budgets: { fault: 1 },
      lag: 0,
      spurious: false,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(poolWorkloadWorld({ name, ...left, ...row }))).toEqual(safe);
  });
});

describe('two workloads that select the same pool: neither ever touches what is the other one’s', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'of one name in two namespaces': { owners: ofOneName, budgets: {}, lag: 0, spurious: false },
    'in one namespace': { owners: ofOneNamespace, budgets: {}, lag: 0, spurious: false },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(poolWorkloadWorld({ name, pools: one, ...row }))).toEqual(safe);
  });

  const changes: Readonly<Record<string, Row>> = {
    'one gets another template': { owners: ofOneName, budgets: { edit: 1 } },
    'their pool is left': { owners: ofOneName, budgets: { select: 1 } },
    'one is removed while either gets another template': {
      owners: ofOneNamespace,
      budgets: { remove: 1, edit: 1 },
      lag: 0,
      spurious: false,
    },
    'a child is deleted or changed by another writer': {
      owners: ofOneNamespace,
      budgets: { 'other writer': 1, drift: 1 },
    },
    'one is removed, and made again under its name': {
      owners: ofOneName,
      budgets: { remove: 1, again: 1 },
      lag: 0,
      spurious: false,
    },
    'a request fails in any way while one gets another template': {
      owners: ofOneNamespace,
      budgets: { edit: 1, fault: 1 },
      spurious: false,
    },
  };
  it.each(Object.entries(changes))('from rest: %s', (name, row) => {
    expect(verdictOn(atRest(poolWorkloadWorld({ name, pools: one, ...row })))).toEqual(safe);
  });
});

describe('planted bugs of UnitedDaemonSet: each is found', () => {
  const looksForOne = {
    bug: 'looks-for-the-wanted-kind-only',
    pools: one,
    lag: 0,
    spurious: false,
  } as const;

  it('what only a crash loses is no bug while the operator lives', () => {
    const row = { ...looksForOne, budgets: { kind: 1 } } as const;
    expect(verdictOn(poolWorkloadWorld({ name: 'lives', ...row }))).toEqual(safe);
  });

  interface Planted extends Row {
    readonly layer: string;
    readonly report: string;
    /** Children are there already. */
    readonly fromRest?: true;
  }
  const bugs: Readonly<Record<string, Planted>> = {
    '1 generated names': {
      bug: 'generated-names',
      engineBug: 'nothing-listed-live',
      budgets: { fault: 1 },
      faults: ['lost-after'],
      layer: 'S',
      report: 'two deployments in one pool',
    },
    '2 children are not watched': {
      bug: 'children-not-watched',
      pools: one,
      budgets: {},
      layer: 'L',
      report: 'the status counts 0 ready in hz, not 1',
    },
    '3 adopts by label': {
      bug: 'adopts-by-label',
      pools: one,
      stranger: true,
      budgets: {},
      layer: 'E',
      report: 'stranger is not ours',
    },
    '4 pools enqueue by their new labels only': {
      bug: 'pools-by-new-labels-only',
      pools: one,
      budgets: { select: 1 },
      layer: 'L',
      report: 'there are hz@web:1',
    },
    '5 the revision is a label of the pods': {
      bug: 'revision-in-pod-label',
      pools: one,
      budgets: { relabel: 1 },
      layer: 'E',
      report: 'restart although their template is the same',
    },
    '6 after a change of kind the other kind is not looked for': {
      bug: 'forgets-the-other-kind',
      pools: one,
      budgets: { kind: 1 },
      layer: 'L',
      report: 'deployments of the old kind are left',
    },
    '6 the process after a crash does not see the other kind': {
      ...looksForOne,
      budgets: { kind: 1, fault: 1 },
      faults: ['crash-before', 'crash-after'],
      layer: 'L',
      report: 'deployments of the old kind are left',
    },
    '6 the old kind goes before the new one serves': {
      bug: 'other-kind-goes-at-once',
      pools: one,
      budgets: { kind: 1 },
      layer: 'E',
      report: 'before its successor is available',
    },
    '7 a terminating child counts as present': {
      bug: 'terminating-is-present',
      pools: one,
      hung: true,
      budgets: { foreground: 1 },
      layer: 'L',
      report: 'the status does not name hz',
    },
    '8 the status is made before the children': {
      bug: 'status-before-children',
      summaries: true,
      pools: one,
      budgets: {},
      layer: 'E',
      report: 'the status leaves out web-hz',
    },
    'S2 a pool that has come back is as if it had not': {
      bug: 'who-left-stays-away',
      pools: one,
      budgets: { select: 2, fault: 1 },
      faults: ['refused'],
      lag: 0,
      spurious: false,
      layer: 'P',
      report: 'the child of pool hz is to be deleted, which is selected',
    },
    'a pool that is being deleted gets a child': {
      bug: 'serves-a-terminating-pool',
      pools: one,
      slowPools: true,
      budgets: { drop: 1 },
      layer: 'P',
      report: 'a child is to be made for pool hz, which is being deleted',
    },
    'duplicate children are judged by old caches': {
      ...left,
      old: 'duplicates',
      bug: 'duplicates-of-old-caches',
      budgets: {},
      layer: 'E',
      report: 'before its successor is available',
    },
    'a child of an older operator is rendered anew': {
      ...left,
      old: 'one',
      bug: 'corrects-old-rendering',
      budgets: {},
      layer: 'E',
      report: 'restart although their template is the same',
    },
    'a child of an older operator is brought to its template': {
      ...left,
      old: 'put back',
      bug: 'applies-at-take-over',
      budgets: {},
      layer: 'E',
      report: 'restart with a template that nobody edited',
    },
    'children are known by the name of their owner': {
      bug: 'owner-by-name',
      pools: one,
      budgets: { remove: 1, again: 1 },
      lag: 0,
      spurious: false,
      layer: 'E',
      report: 'is not ours',
    },
    'children of the namespace are taken for own ones': {
      bug: 'owner-left-out',
      owners: ofOneNamespace,
      pools: one,
      budgets: {},
      spurious: false,
      layer: 'E',
      report: 'is not ours',
    },
    'events enqueue the namesake in another namespace': {
      bug: 'enqueues-the-namesake',
      owners: ofOneName,
      pools: one,
      budgets: {},
      spurious: false,
      layer: 'L',
      report: 'shop/web: the status counts 0 ready',
    },
    "the user's tolerations are replaced": {
      bug: 'placement-replaced',
      pools: one,
      budgets: {},
      layer: 'S',
      report: "has lost the user's placement",
    },
    // A live read alone would show that the pool is there.
    'c1 an unsynced cache is an empty one': {
      bug: 'unsynced-is-empty',
      engineBug: 'irreversible-from-cache',
      pools: one,
      budgets: { fault: 1 },
      faults: ['crash-unsynced'],
      layer: 'E',
      report: 'which was always selected',
    },
    'c2 delete by name': {
      engineBug: 'delete-by-name',
      pools: one,
      budgets: { select: 1 },
      layer: 'E',
      report: 'without the uid',
    },
    'c3 apply without the uid': {
      engineBug: 'apply-without-uid',
      pools: one,
      budgets: { select: 1, edit: 1, fault: 1 },
      faults: ['crash-late'],
      lag: 0,
      spurious: false,
      layer: 'E',
      report: 'apply made an object',
    },
    'c4 no write-through': {
      engineBug: 'no-write-through',
      budgets: {},
      layer: 'W',
      report: 'of what is there',
    },
    'c5 stop at the first error': {
      engineBug: 'stop-at-first-error',
      refused: 'bj',
      budgets: {},
      layer: 'L',
      report: 'there are none',
    },
    'c6 no retry without an event': {
      engineBug: 'no-requeue',
      pools: one,
      budgets: { fault: 1 },
      faults: ['refused'],
      layer: 'L',
      report: 'the world can stay so',
    },
    'c7 the status of an older spec under the new generation': {
      bug: 'status-of-older-spec',
      engineBug: 'status-of-older-spec',
      pools: one,
      budgets: { edit: 1 },
      layer: 'E',
      report: 'generation 2 and describes another template',
    },
    'C7 a workload that is being deleted is served on': {
      bug: 'serves-a-terminating-owner',
      pools: one,
      budgets: { 'remove in the foreground': 1 },
      layer: 'P',
      report: 'something is to be made for edge/web, which is going',
    },
    'C7 a plan outlives the deletion of its workload': {
      engineBug: 'guard-ignored',
      pools: one,
      budgets: { 'remove in the foreground': 1 },
      layer: 'E',
      report: 'something is made for edge/web, which is known to be going',
    },
    'a plan is carried out for the template that an old cache shows': {
      engineBug: 'plans-unconfirmed',
      fromRest: true,
      pools: one,
      budgets: { edit: 1, 'fail-over': 1 },
      layer: 'E',
      report: 'goes back from web:2 to web:1',
    },
    'a plan is carried out for the number that an old cache shows': {
      engineBug: 'plans-unconfirmed',
      fromRest: true,
      pools: one,
      budgets: { scale: 1, 'fail-over': 1 },
      layer: 'E',
      report: 'replicas',
    },
    'a child is deleted because an old cache shows that its pool is not selected': {
      engineBug: 'irreversible-from-cache',
      fromRest: true,
      joining: true,
      pools: one,
      budgets: { select: 1, 'fail-over': 1 },
      standStill: ['nodepools.apps.openyurt.io'],
      layer: 'E',
      report: 'the child of pool hz is deleted, which has joined',
    },
    'C7 a plan outlives its workload': {
      engineBug: 'guard-ignored',
      pools: one,
      budgets: { remove: 1 },
      layer: 'E',
      report: 'something is made for edge/web, which is known to be gone',
    },
    'c8 an unsorted status': { bug: 'unsorted-status', budgets: {}, layer: 'S', report: 'not sorted' },
  };
  it.each(Object.entries(bugs))('%s', (name, { layer, report, fromRest, ...row }) => {
    const world = poolWorkloadWorld({ name, ...row });
    const { violation } = explore(fromRest === true ? atRest(world) : world);
    expect(violation?.message).toContain(report);
    expect(violation?.message.slice(0, 2)).toBe(`${layer}:`);
    expect(violation?.choices.length).toBeLessThanOrEqual(16);
  });
});
