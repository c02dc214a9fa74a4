import { describe, expect, it } from 'vitest';
import { daemonSetWorld } from '../simulation/worlds/daemon-set-world.ts';
import type { DaemonSetWorldOptions } from '../simulation/worlds/daemon-set-world.ts';
import { noLateRequest } from '../simulation/world.ts';
import { foundIn } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

type Row = Omit<DaemonSetWorldOptions, 'name'>;
const small = { lag: 0, spurious: false } as const;
const late = { lag: 1, spurious: false } as const;
const backWhileLate = { budgets: { edit: 2 }, images: ['v2', 'v1'], ...late } as const;
const backAndRevisionDeleted = {
  nodes: ['a'],
  budgets: { edit: 2, 'delete revision': 1 },
  images: ['v2', 'v1'],
  ...small,
} as const;
const backAndAdopted = {
  nodes: ['a'],
  budgets: { edit: 2, 'adopt revision': 1 },
  images: ['v2', 'v1'],
  ...small,
} as const;

describe('upgrades of DaemonSets: every interleaving keeps the budget, and ends as desired and silent', () => {
  const worlds: Readonly<Record<string, Row>> = {
    'a new template': { budgets: { edit: 1 } },
    'a new template, and back': { budgets: { edit: 2 }, images: ['v2', 'v1'], ...small },
    'a new template, and back, while watches are late': { nodes: ['a'], ...backWhileLate },
    'a new template, and back, and somebody deletes a revision': backAndRevisionDeleted,
    'OTA: a new template, and back, and somebody deletes a revision': {
      strategy: 'OTA',
      ...backAndRevisionDeleted,
    },
    'a new template, and back, and its controller adopts a revision': backAndAdopted,
    'OTA: a new template, and back, and its controller adopts a revision': {
      strategy: 'OTA',
      ...backAndAdopted,
    },
    'a broken template, and its repair': { budgets: { edit: 2 }, images: ['broken', 'v3'], ...small },
    'a broken template': { budgets: { edit: 1 }, images: ['broken'], ...small },
    'a node goes away while a template comes': { budgets: { edit: 1, away: 1 }, ...small },
    'a percentage of the nodes that count, while one is away and comes back': {
      nodes: ['a', 'b'],
      awayAtFirst: ['b'],
      maxUnavailable: '50%',
      budgets: { edit: 1 },
      ...small,
    },
    'a node is removed while a template comes': { budgets: { edit: 1, remove: 1 }, ...small },
    'any one request fails, or the operator dies': {
      budgets: { edit: 1, fault: 1 },
      faults: noLateRequest,
      ...small,
    },
    "a new template, and a successor's lists are all of before": {
      budgets: { edit: 1, 'fail-over': 1 },
      standStill: ['daemonsets.apps', 'controllerrevisions.apps', 'nodes', 'pods'],
      ...small,
    },
    'OTA: a new template': { strategy: 'OTA', budgets: { edit: 1 } },
    'the annotation is taken off while a template comes': { budgets: { edit: 1, 'take off': 1 }, ...small },
    'OTA: the annotation is taken off while a template comes': {
      strategy: 'OTA',
      budgets: { edit: 1, 'take off': 1 },
      ...small,
    },
    "OTA: the annotation is taken off and put on again, and a successor's list is of before": {
      strategy: 'OTA',
      nodes: ['a'],
      budgets: { 'take off': 1, 'put on again': 1, 'fail-over': 1 },
      standStill: ['daemonsets.apps'],
      ...small,
    },
    'OTA: the annotation is taken off, and any one request fails, or the operator dies': {
      strategy: 'OTA',
      nodes: ['a'],
      budgets: { 'take off': 1, fault: 1 },
      faults: noLateRequest,
      ...small,
    },
    'a new template, and another strategy, and back': {
      nodes: ['a'],
      budgets: { edit: 1, switch: 2 },
      ...small,
    },
    'a pause while a template comes, and its end, while watches are late': {
      nodes: ['a'],
      budgets: { edit: 1, pause: 2 },
      ...late,
    },
    'OTA: somebody else writes conditions of a pod': {
      strategy: 'OTA',
      budgets: { edit: 1, 'other writer': 1 },
      ...small,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(daemonSetWorld({ name, ...row }))).toEqual(safe);
  });
});

describe('planted bugs of upgrades of DaemonSets: each is found', () => {
  interface Planted extends Row {
    readonly layer: string;
    readonly report: string;
  }
  const bugs: Readonly<Record<string, Planted>> = {
    '1 unavailable old pods are not counted': {
      bug: 'unavailable-old-pods-not-counted',
      budgets: { edit: 2 },
      images: ['broken', 'v3'],
      layer: 'E',
      report: 'are down at once',
      ...small,
    },
    '2 nodes are not watched': {
      bug: 'nodes-not-watched',
      nodes: ['a'],
      budgets: { edit: 1, away: 1 },
      layer: 'L',
      report: 'does not run v2',
      ...small,
    },
    '3 a node that is missing stops all others': {
      bug: 'missing-node-stops-all',
      budgets: { edit: 1, remove: 1 },
      layer: 'L',
      report: 'does not run v2',
      ...small,
    },
    '4 a pod that is ending counts as available': {
      bug: 'ending-pod-counts-as-available',
      budgets: { edit: 1 },
      layer: 'W',
      report: 'delete changed nothing',
      ...small,
    },
    '5 a percentage of what is listed, also of what is away': {
      bug: 'percentage-of-listed-pods',
      nodes: ['a', 'b', 'c'],
      awayAtFirst: ['c'],
      maxUnavailable: '50%',
      budgets: { edit: 1 },
      layer: 'E',
      report: 'are down at once',
      ...small,
    },
    '6 the order changes, and a write in doubt is not read back': {
      bug: 'order-changes',
      engineBug: 'in-doubt-ignored',
      budgets: { edit: 1, fault: 1 },
      faults: ['lost-after'],
      layer: 'E',
      report: 'are down at once',
      ...late,
    },
    // Deletions name the pod and go in an order that no list changes: a list of before then asks for a pod that is gone already.
    '7 a list of before after a restart, and another order by it': {
      bug: 'order-changes',
      budgets: { edit: 2, 'fail-over': 1 },
      images: ['v2', 'v3'],
      standStill: ['pods'],
      layer: 'E',
      report: 'are down at once',
      ...small,
    },
    '8 the whole array of conditions is written': {
      strategy: 'OTA',
      bug: 'whole-condition-array',
      budgets: { edit: 1, 'other writer': 1 },
      layer: 'E',
      report: 'lost the condition',
      ...small,
    },
    'a node is not asked when its pod is deleted': {
      bug: 'away-when-sent',
      budgets: { edit: 1, away: 1 },
      layer: 'E',
      report: 'its node is known to be away',
      ...small,
    },
    'the annotations are not asked when a pod is deleted': {
      bug: 'annotations-not-asked',
      nodes: ['a'],
      budgets: { edit: 1, pause: 1 },
      layer: 'E',
      report: 'although the rollout is paused',
      ...late,
    },
    'the template generation is not asked': {
      bug: 'generation-ignored',
      budgets: { edit: 2 },
      images: ['v2', 'v3'],
      layer: 'E',
      report: 'which is of the current template',
      ...late,
    },
    'OTA: a pod is written on before the DaemonSet is reported as served, and not looked for': {
      strategy: 'OTA',
      bug: 'offers-before-recorded',
      nodes: ['a'],
      budgets: { 'take off': 1 },
      layer: 'L',
      report: 'still has PodNeedUpgrade',
      ...small,
    },
    'OTA: the conditions of the DaemonSet go before those of its pods, which are not looked for': {
      strategy: 'OTA',
      bug: 'conditions-go-first',
      budgets: { edit: 1, 'take off': 1 },
      layer: 'L',
      report: 'still has PodNeedUpgrade',
      ...small,
    },
    "OTA: the DaemonSet's status turns and turns back before the watch has brought the first, which is not looked at":
      {
        strategy: 'OTA',
        engineBug: 'skipped-versions-ignored',
        nodes: ['a'],
        budgets: { 'take off': 1, 'put on again': 1, 'fail-over': 1 },
        standStill: ['daemonsets.apps'],
        layer: 'L',
        report: 'is not False for v1',
        ...small,
      },
    'the revision of a pod is not read before it is deleted': {
      bug: 'revision-not-read',
      nodes: ['a'],
      layer: 'E',
      report: 'which is of the current template',
      ...backWhileLate,
    },
    'a pod of a revision that somebody deleted counts as outdated': {
      bug: 'deleted-revision-ignored',
      layer: 'E',
      report: 'which is of the current template',
      ...backAndRevisionDeleted,
    },
    'a revision that was adopted counts as the newest': {
      bug: 'adopted-revision-counts',
      layer: 'E',
      report: 'which is of the current template',
      ...backAndAdopted,
    },
    'what the DaemonSet controller has seen is not awaited': {
      bug: 'controller-not-awaited',
      layer: 'E',
      report: 'which is of the current template',
      ...backWhileLate,
    },
  };
  it.each(Object.entries(bugs))('%s', (name, { layer, report, ...row }) => {
    expect(foundIn(daemonSetWorld({ name, ...row }), report)).toEqual({ layer, report, hasStory: true });
  });
});
