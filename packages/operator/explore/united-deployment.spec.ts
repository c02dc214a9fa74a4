import { describe, expect, it } from 'vitest';
import { explore } from '../simulation/explorer/explorer.ts';
import { atRest } from '../simulation/story.ts';
import { unitedDeploymentWorld } from '../simulation/worlds/united-deployment/united-deployment-world.ts';
import type { UnitedDeploymentWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-world.ts';
import { foundIn, type Found } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<UnitedDeploymentWorldOptions, 'name'>;

/** Where time and place take most states, caches are not behind and no reconcile comes for no reason. */
const brief = { lag: 0, spurious: false } as const;
const numbered = [
  { name: 'a', replicas: 1 },
  { name: 'b', replicas: 1 },
];
const uneven = [
  { name: 'a', replicas: 1 },
  { name: 'b', replicas: 2 },
];
/** The second of two subsets may not have more than its one replica, and there are to be three. */
const secondNotToGrow = {
  total: 3,
  subsets: [
    { name: 'a', replicas: 2 },
    { name: 'b', replicas: 1 },
  ],
  kept: { subset: 'b', least: 3 },
  ...brief,
} as const;
const one = [{ name: 'a' }];
const alone = { subsets: one, total: 1 } as const;
const three = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
/** Two replicas: one in each, although the first may have both. */
const bounded = [
  { name: 'a', maxReplicas: 2 },
  { name: 'b', minReplicas: 1 },
];
const heldBack = { type: 'Manual', manualUpdate: { partitions: { a: 5 } } } as const;
/** Pods are there, and time passes. */
const withPods = { kind: 'CloneSet', patient: true, spurious: false } as const;
const adaptive = { ...withPods, schedule: { type: 'Adaptive' } } as const;
/** Of one replica, whose first subset has no room for it. */
const unschedulable = { ...adaptive, total: 1, rooms: [0, 2], lag: 0 } as const;
/** Whoever finds a subset without room sets its timer, and nobody sets it again. */
const setByFinder = {
  ...adaptive,
  bug: 'timer-of-who-found-it',
  engineBug: 'timers-outlive-reconciles',
  rooms: [1, 2],
  lag: 0,
} as const;
const reserving = {
  ...withPods,
  schedule: { type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } },
} as const;

describe('UnitedDeployment: every interleaving is safe, and ends as desired and silent', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'two subsets, nothing goes wrong': { budgets: {} },
    'three subsets, nothing goes wrong': { subsets: three, total: 3, budgets: {}, ...brief },
    'any one request fails in any way, or the operator dies': { ...alone, budgets: { fault: 1 }, ...brief },
    'many keys wait while it is scaled, and a request is lost': {
      ...alone,
      budgets: { scale: 1, fault: 1 },
      faults: ['lost-after'],
      ...brief,
      othersWait: true,
    },
    'it is deleted in the foreground, and a request fails in any way or the operator dies': {
      ...alone,
      budgets: { 'remove in the foreground': 1, fault: 1 },
      ...brief,
    },
    'the total is left out': { total: undefined, subsets: numbered, budgets: {} },
    'the total is left out, and the subsets are to have none': {
      total: undefined,
      subsets: numbered.map(({ name }) => ({ name, replicas: 0 })),
      budgets: {},
    },
    'the total is left out, and an autoscaler sets it': {
      total: undefined,
      subsets: numbered.slice(0, 1),
      budgets: { scale: 1 },
      ...brief,
    },
    'numbers do not add up': { total: 3, subsets: numbered, budgets: {} },
    'one subset has a least number, the other a most': { subsets: bounded, budgets: {} },
    'the child of one subset is refused for ever': { refused: 'b', budgets: {} },
    "somebody else's Deployment carries the labels of a subset": { stranger: true, budgets: {} },
    'a kind is not installed that nobody wants': { absent: ['CloneSet'], budgets: {} },
    'the wanted kind is not installed': {
      kind: 'CloneSet',
      absent: ['CloneSet'],
      subsets: three,
      budgets: { scale: 1, edit: 1 },
    },
    'CloneSets, nothing goes wrong': { kind: 'CloneSet', budgets: {} },
    'Advanced StatefulSets, held back from the beginning': {
      kind: 'AdvancedStatefulSet',
      strategy: heldBack,
      budgets: {},
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(unitedDeploymentWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('UnitedDeployment at rest: every interleaving of a change is safe, and ends as desired and silent', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'an autoscaler sets the total, and sets it again': { budgets: { scale: 2 } },
    'the total changes where three subsets share it': {
      subsets: three,
      total: 3,
      totals: [1, 4],
      budgets: { scale: 1 },
    },
    'the total is set where the subsets say other numbers, and back': {
      subsets: numbered,
      budgets: { scale: 2 },
    },
    'the total changes where one subset has a least number, the other a most': {
      subsets: bounded,
      totals: [1, 4],
      budgets: { scale: 2 },
      ...brief,
    },
    'replicas move from one subset to the other': {
      total: 3,
      subsets: uneven,
      numbers: [2, 1],
      budgets: { numbers: 1 },
      ...brief,
    },
    'replicas move from one subset to the other while the total grows': {
      subsets: numbered,
      numbers: [0, 3],
      budgets: { numbers: 1 },
      ...brief,
    },
    'replicas move from one subset to the other, which may not have them': {
      ...secondNotToGrow,
      numbers: [1, 2],
      budgets: { numbers: 1, edit: 1 },
    },
    'replicas move to a subset that may not have them, and a request fails in any way or the operator dies': {
      ...secondNotToGrow,
      numbers: [1, 2],
      budgets: { numbers: 1, fault: 1 },
    },
    'replicas move to a subset that may not have them while the total grows': {
      ...secondNotToGrow,
      numbers: [1, 3],
      budgets: { numbers: 1, edit: 1 },
    },
    'the template changes': { budgets: { edit: 1 } },
    'the template changes while the total does': { budgets: { edit: 1, scale: 1 }, ...brief },
    'a subset is removed, and comes back': { budgets: { subset: 2 } },
    "the template changes, and a successor's watch of it has stood still": {
      budgets: { edit: 1, 'fail-over': 1 },
      ...brief,
    },
    "the total changes, and a successor's watch of it has stood still": {
      totals: [3],
      budgets: { scale: 1, 'fail-over': 1 },
      ...brief,
    },
    "a subset is removed, and a successor's watch of it has stood still": {
      budgets: { subset: 1, 'fail-over': 1 },
      ...brief,
    },
    'a subset is removed while the total changes': { budgets: { subset: 1, scale: 1 } },
    'a subset is removed, and a request fails in any way or the operator dies': {
      budgets: { subset: 1, fault: 1 },
    },
    'a subset gets a patch': { budgets: { patch: 1, scale: 1 } },
    'the template becomes one of another kind': { budgets: { kind: 1 }, ...brief },
    'somebody scales a child by hand': { budgets: { drift: 1 } },
    'another writer deletes a child': { budgets: { 'other writer': 1 } },
    'the template becomes one of another kind and back, and another writer deletes the child that serves again':
      {
        ...alone,
        budgets: { kind: 2, 'other writer': 1 },
        ...brief,
      },
    'it is deleted': { budgets: { remove: 1 }, spurious: false },
    'it is deleted in the foreground': { ...alone, budgets: { 'remove in the foreground': 1 } },
    'the total changes, and a request fails in any way or the operator dies': {
      budgets: { scale: 1, fault: 1 },
    },
    'a subset is held back while the template changes, and released': {
      kind: 'StatefulSet',
      strategy: heldBack,
      budgets: { edit: 1, release: 1 },
      ...brief,
    },
    'partitions stay while an Advanced StatefulSet grows and shrinks, and the template changes': {
      kind: 'AdvancedStatefulSet',
      subsets: one,
      strategy: heldBack,
      budgets: { edit: 1, scale: 1 },
      ...brief,
    },
    'partitions stay while the template changes, and a request fails in any way or the operator dies': {
      kind: 'StatefulSet',
      strategy: heldBack,
      budgets: { edit: 1, fault: 1 },
      ...brief,
    },
    'partitions stay while a StatefulSet grows and shrinks, and the template changes': {
      kind: 'StatefulSet',
      subsets: one,
      strategy: heldBack,
      budgets: { edit: 1, scale: 1 },
      ...brief,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(atRest(unitedDeploymentWorld({ name, ...row })))).toEqual(safe);
  });
});

describe('UnitedDeployment with pods that find no node: every interleaving is safe, and ends as desired', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'the first subset has room for one of two': { ...adaptive, rooms: [1, 2], budgets: { time: 4 } },
    'the first subset has no room, and the operator dies': {
      ...unschedulable,
      budgets: { time: 4, fault: 1 },
      faults: ['crash-after'],
    },
    'room comes or goes': { ...unschedulable, budgets: { time: 3, room: 1 } },
    'in reservation, the first subset has no room': {
      ...reserving,
      total: 1,
      rooms: [0, 2],
      budgets: { time: 4 },
      lag: 0,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(unitedDeploymentWorld({ name, ...row }))).toEqual(safe);
  });

  it('the total grows where the first subset is full', () => {
    const row = {
      ...adaptive,
      total: 1,
      totals: [2],
      rooms: [1, 2],
      budgets: { time: 4, scale: 1 },
    } as const;
    expect(verdictOn(atRest(unitedDeploymentWorld({ name: 'grows', ...row })))).toEqual(safe);
  });
});

describe('planted bugs of UnitedDeployment: each is found', () => {
  const bugs: Readonly<Record<string, Row & Found>> = {
    "1 allocates from the children's status": {
      bug: 'allocates-from-status',
      total: 3,
      budgets: {},
      layer: 'W',
      report: 'apply changed nothing',
    },
    '2 scales down and up in two reconciles, and reads the numbers twice': {
      bug: 'moves-in-two-reconciles',
      fromRest: true,
      subsets: three,
      total: 3,
      budgets: { subset: 1, scale: 1 },
      totals: [4],
      layer: 'P',
      report: 'a:1, b:1 are planned, where 3 are wanted',
    },
    '3 numbers that cannot be met stop it': {
      bug: 'ineffective-stops',
      total: 3,
      subsets: numbered,
      budgets: {},
      layer: 'L',
      report: 'want children; there are none',
    },
    '4 the partition is compared before it is clamped': {
      bug: 'partition-not-clamped',
      kind: 'StatefulSet',
      strategy: heldBack,
      budgets: {},
      layer: 'W',
      report: 'apply changed nothing',
    },
    'S4 the partition is that of fewer pods than there will be': {
      bug: 'partition-of-present-replicas',
      fromRest: true,
      kind: 'AdvancedStatefulSet',
      subsets: one,
      strategy: heldBack,
      budgets: { edit: 1, scale: 1 },
      ...brief,
      layer: 'S',
      report: 'the partition of web-a-wz4r64l5 is 2',
    },
    'S4 an Advanced StatefulSet has its partition where a CloneSet has it': {
      bug: 'partition-elsewhere',
      kind: 'AdvancedStatefulSet',
      strategy: heldBack,
      budgets: { edit: 1 },
      layer: 'S',
      report: 'the partition of web-a-wz4r64l5 is 0',
    },
    "5 a removed subset's status stays": {
      bug: 'status-outlives-subset',
      fromRest: true,
      budgets: { subset: 1 },
      layer: 'L',
      report: 'status.subsetStatuses is a, b',
    },
    '6 the timer is set only once': {
      bug: 'timer-set-once',
      ...adaptive,
      rooms: [1, 2],
      budgets: { time: 4 },
      lag: 0,
      layer: 'L',
      report: 'subset a is reported without room for ever',
    },
    '6 the timer is lost with the operator that found no room': {
      ...setByFinder,
      budgets: { time: 3, fault: 1 },
      faults: ['crash-after'],
      layer: 'L',
      report: 'subset a is reported without room for ever',
    },
    '7 a changed patch is not noticed': {
      bug: 'patch-not-noticed',
      fromRest: true,
      budgets: { patch: 1 },
      layer: 'L',
      report: 'have MODE undefined',
    },
    '7 a patch is compared as text, and differs for ever': {
      bug: 'patch-compared-as-text',
      fromRest: true,
      budgets: { patch: 1 },
      layer: 'W',
      report: 'apply changed nothing',
    },
    '8 a kind that is not installed stops all': {
      bug: 'missing-kind-stops-all',
      absent: ['CloneSet'],
      budgets: {},
      layer: 'L',
      report: 'want children; there are none',
    },
    'S2 what takes replicas is written before what gives them': {
      bug: 'all-at-once',
      fromRest: true,
      total: 3,
      subsets: uneven,
      numbers: [2, 1],
      budgets: { numbers: 1 },
      ...brief,
      layer: 'S',
      report: '4 replicas are asked for, where 3 were the most',
    },
    'S2 a subset shrinks for another one that may not grow': {
      bug: 'grows-untried',
      fromRest: true,
      ...secondNotToGrow,
      numbers: [1, 2],
      budgets: { numbers: 1 },
      layer: 'L',
      report: '3 replicas are wanted; there are',
    },
    'S2 the last subset gets one more': {
      bug: 'one-more-in-the-last-subset',
      budgets: {},
      layer: 'P',
      report: 'a:1, b:2 are planned, where 2 are wanted',
    },
    'S2 a least number is ignored': {
      bug: 'minimum-ignored',
      subsets: bounded,
      budgets: {},
      layer: 'P',
      report: 'subset b is to have 0 replicas, at least 1',
    },
    'S2 a greatest number is ignored': {
      bug: 'maximum-ignored',
      fromRest: true,
      subsets: bounded,
      totals: [4],
      budgets: { scale: 1 },
      layer: 'P',
      report: 'subset a is to have 3 replicas, at most 2',
    },
    'S3 the order of subsets counts': {
      bug: 'order-of-subsets-counts',
      fromRest: true,
      subsets: three.map(({ name }) => ({ name, maxReplicas: 1 })),
      total: 2,
      budgets: {},
      lag: 0,
      spurious: false,
      layer: 'L',
      report: 'status.subsetReplicas of a is 1, not 0',
    },
    'S5 ready pods go with those that found no node': {
      bug: 'forgets-who-is-ready',
      ...adaptive,
      rooms: [1, 2],
      budgets: { time: 4 },
      lag: 0,
      layer: 'E',
      report: 'with 1 ready',
    },
    'S5 replicas move although their pod has found room': {
      bug: 'moves-by-old-caches',
      ...unschedulable,
      budgets: { time: 4, room: 1 },
      layer: 'E',
      report: 'goes to 0 replicas with 1 ready',
    },
    'S2 a subset grows although the move that makes room for it was dropped': {
      bug: 'grows-in-any-case',
      ...unschedulable,
      budgets: { time: 4, room: 1 },
      layer: 'S',
      report: '2 replicas are asked for, where 1 were the most',
    },
    'S6 a subset is removed from the cache alone': {
      engineBug: 'irreversible-from-cache',
      fromRest: true,
      budgets: { subset: 2 },
      layer: 'E',
      report: 'the last child of subset b is deleted, which the spec names',
    },
    'L2 nobody waits for the end of the window': {
      bug: 'trusts-at-once',
      ...adaptive,
      rooms: [1, 2],
      budgets: { time: 4 },
      lag: 0,
      layer: 'L',
      report: 'the world can stay so',
    },
    'L3 a revision is current at once': {
      bug: 'current-at-once',
      fromRest: true,
      budgets: { edit: 1 },
      layer: 'E',
      report: 'is the current revision, and subset a never ran it',
    },
    'a plan is carried out for the template that an old cache shows': {
      engineBug: 'plans-unconfirmed',
      fromRest: true,
      budgets: { edit: 1, 'fail-over': 1 },
      ...brief,
      layer: 'E',
      report: 'goes back from web:2 to web:1',
    },
    'a plan is carried out for the total that an old cache shows': {
      engineBug: 'plans-unconfirmed',
      fromRest: true,
      totals: [3],
      budgets: { scale: 1, 'fail-over': 1 },
      ...brief,
      layer: 'E',
      report: 'and nobody asked',
    },
    'C7 one that is being deleted is served on': {
      bug: 'serves-a-terminating-owner',
      ...alone,
      budgets: { 'remove in the foreground': 1 },
      layer: 'P',
      report: 'something is to be made for edge/web, which is going',
    },
    'C7 a plan outlives the deletion of what it is for': {
      engineBug: 'guard-ignored',
      ...alone,
      budgets: { 'remove in the foreground': 1 },
      layer: 'E',
      report: 'something is made for edge/web, which is known to be going',
    },
    'C7 a plan goes on applying for what is being deleted': {
      engineBug: 'applies-go-on',
      fromRest: true,
      totals: [4],
      budgets: { scale: 1, 'remove in the foreground': 1 },
      ...brief,
      layer: 'E',
      report: 'something is applied for edge/web, which is known to be going',
    },
    'C7 a plan goes on deleting for what is being deleted': {
      engineBug: 'deletions-go-on',
      ...alone,
      fromRest: true,
      budgets: { kind: 1, 'remove in the foreground': 1 },
      ...brief,
      layer: 'E',
      report: 'something is deleted for edge/web, which is known to be going',
    },
    'generated names': {
      bug: 'generated-names',
      engineBug: 'nothing-listed-live',
      budgets: { fault: 1 },
      faults: ['lost-after'],
      layer: 'S',
      report: 'two deployments in one subset',
    },
    'children are not watched': {
      bug: 'children-not-watched',
      budgets: {},
      layer: 'L',
      report: 'the status counts 0 ready',
    },
    'adopts by label': {
      bug: 'adopts-by-label',
      stranger: true,
      budgets: {},
      layer: 'E',
      report: 'stranger is not ours',
    },
    'c1 an unread cache is an empty one': {
      bug: 'unsynced-is-empty',
      ...adaptive,
      fromRest: true,
      rooms: [2, 2],
      budgets: { scale: 1, fault: 1 },
      faults: ['crash-unsynced'],
      unread: 'pods',
      lag: 0,
      layer: 'E',
      report: 'the status counts 0 updated pods',
    },
    'c2 delete by name': {
      engineBug: 'delete-by-name',
      fromRest: true,
      budgets: { subset: 1 },
      layer: 'E',
      report: 'without the uid',
    },
    'c3 apply without the uid': {
      engineBug: 'apply-without-uid',
      fromRest: true,
      budgets: { scale: 1, 'other writer': 1, fault: 1 },
      faults: ['crash-late'],
      ...brief,
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
      refused: 'a',
      budgets: {},
      layer: 'L',
      report: 'there are none',
    },
    'c6 no retry without an event': {
      engineBug: 'no-requeue',
      budgets: { fault: 1 },
      faults: ['refused'],
      ...brief,
      layer: 'L',
      report: 'the world can stay so',
    },
    'c7 the status of an older spec under the new generation': {
      bug: 'status-of-older-spec',
      engineBug: 'status-of-older-spec',
      subsets: numbered.slice(0, 1),
      total: 1,
      budgets: { edit: 1 },
      layer: 'E',
      report: 'describes another template than web:2',
    },
    'c8 an unsorted status': {
      bug: 'unsorted-status',
      budgets: {},
      layer: 'L',
      report: 'status.subsetStatuses is b, a',
    },
  };
  it.each(Object.entries(bugs))('%s', (name, { layer, report, fromRest, ...row }) => {
    const found = foundIn(unitedDeploymentWorld({ name, ...row }), report, fromRest);
    expect(found).toEqual({ layer, report, hasStory: true });
  });

  it('a timer that would be lost with the operator is as good as any while it lives', () => {
    const row = { ...setByFinder, budgets: { time: 4 } } as const;
    expect(verdictOn(unitedDeploymentWorld({ name: 'lives', ...row }))).toEqual(safe);
  });

  it('writes the shortest trace as a story', () => {
    const row = { engineBug: 'irreversible-from-cache', budgets: { subset: 2 } } as const;
    const { violation } = explore(atRest(unitedDeploymentWorld({ name: 'S6', ...row })));
    expect(violation?.story).toMatchInlineSnapshot(`
      "S6: E: the last child of subset b is deleted, which the spec names
        1. subset: removes subset b
        2. the operator reconciles edge/web (1 event of uniteddeployments.apps.kruise.io):
             apply Deployment edge/web-a-wz4r64l5 — SubsetScaled: Deployment web-a-wz4r64l5 of subset a goes from 1 to 2 replicas
             delete Deployment edge/web-b-gqm5wrwp — SubsetRemoved: spec.topology.subsets names subset b no longer
        3. applies Deployment edge/web-a-wz4r64l5 → done
        4. subset: adds subset b
        5. deletes Deployment edge/web-b-gqm5wrwp → done"
    `);
  });
});
