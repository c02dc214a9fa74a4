import { describe, expect, it } from 'vitest';
import { atRest } from '../simulation/story.ts';
import { kruiseWorld } from '../simulation/worlds/united-deployment/united-deployment-kruise-world.ts';
import type { KruiseWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-kruise-world.ts';
import { pairWorld } from '../simulation/worlds/united-deployment/united-deployment-pair-world.ts';
import type { PairWorldOptions } from '../simulation/worlds/united-deployment/united-deployment-pair-world.ts';
import { noLateRequest } from '../simulation/world.ts';
import { foundIn, type Found } from './found-in.ts';
import { safe, verdictOn } from './verdict-on.ts';

const brief = { lag: 0, spurious: false } as const;
const one = { subsets: [{ name: 'a' }], total: 1 } as const;

describe("beside Kruise's manager: nothing is written while it may serve, and all is as desired when it is gone", () => {
  type Row = Omit<KruiseWorldOptions, 'name'>;
  const worlds: Readonly<Record<string, Row>> = {
    'it runs, and is stopped': { manager: 1, budgets: { manager: 1 } },
    'it runs, is stopped, and started again': { ...one, manager: 1, budgets: { manager: 2 } },
    'it runs, and is removed': { ...one, manager: 1, budgets: { uninstall: 1 } },
    'it runs, and is kept off by the policy': { ...one, manager: 1, budgets: { policy: 1 } },
    'it is installed while children are made': { ...one, budgets: { install: 1 } },
    'it runs, and is stopped, and a request fails in any way or the operator dies': {
      ...one,
      manager: 1,
      budgets: { manager: 1, fault: 1 },
      ...brief,
    },
  };
  it.each(Object.entries(worlds))('%s', (name, row) => {
    expect(verdictOn(kruiseWorld({ name, ...row }))).toEqual(safe);
  });

  /** Time passes when nothing else can happen; the conflicting controller counts as quiet after ten minutes. */
  const elsewhere = { patient: true } as const;
  const unread = { manager: 1, faults: ['crash-unsynced'], unread: 'deployments.apps' } as const;
  const changes: Readonly<Record<string, Row>> = {
    'it is installed while the total changes': { ...one, budgets: { install: 1, scale: 1 } },
    'it is started and stopped while the total changes': {
      ...one,
      manager: 0,
      budgets: { manager: 2, scale: 1 },
    },
    'it is started and stopped while somebody scales a child': {
      ...one,
      manager: 0,
      budgets: { manager: 2, drift: 1 },
    },
    'it is stopped while the total changes, and a successor begins before Deployments are read': {
      ...one,
      ...unread,
      spurious: false,
      budgets: { manager: 1, scale: 1, fault: 1 },
    },
    'it runs elsewhere and writes the status once, while the total changes': {
      ...one,
      ...elsewhere,
      budgets: { elsewhere: 1, scale: 1, time: 3 },
    },
    'it runs elsewhere and writes the status once, while a subset is removed': {
      ...elsewhere,
      budgets: { elsewhere: 1, subset: 1, time: 3 },
    },
  };
  it.each(Object.entries(changes))('from rest: %s', (name, row) => {
    expect(verdictOn(atRest(kruiseWorld({ name, ...row })))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Row & Found>> = {
    'nobody backs off': {
      kruiseBug: 'fights',
      manager: 1,
      budgets: {},
      layer: 'E',
      report: 'ControllerRevision is written, which is served by Kruise',
    },
    'only children are left alone': {
      kruiseBug: 'writes-the-status',
      manager: 1,
      budgets: {},
      layer: 'E',
      report: 'the status is written, which is served by Kruise',
    },
    'no key is enqueued when it has gone': {
      kruiseBug: 'manager-not-watched',
      manager: 1,
      budgets: { manager: 1 },
      layer: 'L',
      report: 'want children; there are none',
    },
    'c1 a manager that has not been read is none': {
      kruiseBug: 'unread-is-none',
      ...unread,
      fromRest: true,
      budgets: { scale: 1, fault: 1 },
      layer: 'E',
      report: 'is written, which is served by Kruise',
    },
    'no key is enqueued when it has long been quiet': {
      kruiseBug: 'never-looks-again',
      ...one,
      ...elsewhere,
      fromRest: true,
      budgets: { elsewhere: 1, time: 3 },
      layer: 'L',
      report: 'Ready is False: ServedByKruise',
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, fromRest, ...row }) => {
    const found = foundIn(kruiseWorld({ name, ...row }), report, fromRest);
    expect(found).toEqual({ layer, report, hasStory: true });
  });
});

describe('two UnitedDeployments that are alike: neither ever touches what is the other one’s', () => {
  type Row = Omit<PairWorldOptions, 'name'>;
  const ofOneName = { other: { namespace: 'shop', name: 'web' } } as const;
  const ofOneSelector = { other: { namespace: 'edge', name: 'web-2' } } as const;

  /** Of two children that have the template the first by name stays; and a name that is freed here is not one that the first object could need. */
  const ofLaterName = { other: { namespace: 'edge', name: 'xweb' } } as const;
  const handedOver = { duplicates: true, budgets: { 'hand over': 1 }, ...brief } as const;

  it('one comes into the namespace of the other, with a selector that overlaps', () => {
    const row = { ...ofOneSelector, comesLater: true, budgets: {} };
    expect(verdictOn(pairWorld({ name: 'of one selector', ...row }))).toEqual(safe);
  });

  const changes: Readonly<Record<string, Row>> = {
    'of one name in two namespaces, and one gets another template': { ...ofOneName, budgets: { edit: 1 } },
    'of one name in two namespaces, and one is removed and made again': {
      ...ofOneName,
      budgets: { remove: 1, again: 1 },
      patient: true,
      ...brief,
    },
    'one gets another template': { ...ofOneSelector, budgets: { edit: 1 } },
    'one becomes one of another kind': { ...ofOneSelector, budgets: { kind: 1 }, ...brief },
    'a child is deleted or changed by another writer': {
      ...ofOneSelector,
      budgets: { 'other writer': 1, drift: 1 },
    },
    'one is removed while either gets another template': {
      ...ofOneSelector,
      budgets: { remove: 1, edit: 1 },
      ...brief,
    },
    'a child is handed over to the other one, which keeps it': {
      ...ofLaterName,
      ...handedOver,
    },
    'a child is handed over to the other one, which deletes it': {
      ...ofOneSelector,
      ...handedOver,
    },
    'one is removed, and its children are to stay': { ...ofOneSelector, budgets: { orphan: 1 } },
    'a request fails in any way while one gets another template': {
      ...ofOneSelector,
      budgets: { edit: 1, fault: 1 },
      // Of a request that comes late it is not known on whose behalf it was sent.
      faults: noLateRequest,
      ...brief,
    },
  };
  it.each(Object.entries(changes))('from rest: %s', (name, row) => {
    expect(verdictOn(atRest(pairWorld({ name, ...row })))).toEqual(safe);
  });

  const bugs: Readonly<Record<string, Row & Found>> = {
    'the old owner of a child is not requeued': {
      pairBug: 'old-owner-not-requeued',
      fromRest: true,
      ...ofLaterName,
      ...handedOver,
      layer: 'L',
      report: 'edge/web: Ready is True',
    },
    'a name that another owner frees enqueues nobody': {
      pairBug: 'freed-name-not-announced',
      fromRest: true,
      ...ofOneSelector,
      ...handedOver,
      layer: 'L',
      report: 'edge/web: subsets a want children; there are none',
    },
    'children are found by their labels': {
      pairBug: 'finds-by-labels',
      ...ofOneSelector,
      comesLater: true,
      budgets: {},
      layer: 'E',
      report: 'writes Deployment web-a-wz4r64l5 of edge/web',
    },
    'the name of a child does not depend on its owner': {
      pairBug: 'names-without-owner',
      ...ofOneSelector,
      comesLater: true,
      budgets: {},
      layer: 'W',
      report: 'create of what is there',
    },
    'children enqueue the owner of that name in another namespace': {
      pairBug: 'enqueues-another-namespace',
      ...ofOneName,
      comesLater: true,
      budgets: {},
      layer: 'L',
      report: 'shop/web: the status counts 0 ready in a, not 1',
    },
  };
  it.each(Object.entries(bugs))('planted: %s', (name, { layer, report, fromRest, ...row }) => {
    const found = foundIn(pairWorld({ name, ...row }), report, fromRest);
    expect(found).toEqual({ layer, report, hasStory: true });
  });
});
