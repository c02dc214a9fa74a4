import { expect, it } from 'vitest';
import { labels, type UnitedDeployment } from '@atoll/api';
import type { ControllerRevision, Stored } from '@atoll/kube';
import { web } from '../../../simulation/examples/spread-example.ts';
import { readTemplate, revisionData } from '../../united-deployment/template.ts';
import { byOrphanedHistory, formerHistory } from './orphaned-history.ts';

type Metadata = Stored<ControllerRevision>['metadata'];

const stamp = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const given = web();
const owner: Stored<UnitedDeployment> = { ...given, metadata: { ...given.metadata, ...stamp } };
const own = { app: 'web', [labels.revisionHash]: 'bcd', [labels.workload]: 'web' };
const kruises = { app: 'web', [labels.revisionHash]: 'bcd' };

function dataOf(of: UnitedDeployment): NonNullable<ControllerRevision['data']> {
  const read = readTemplate(of.spec);
  if (!read.ok) throw new Error(read.problem);
  return revisionData.write(read.template) as NonNullable<ControllerRevision['data']>;
}

function comesBack(to: Stored<UnitedDeployment>, revision: Stored<ControllerRevision>): boolean {
  return formerHistory(to, { data: revisionData, unlabelled: 'CloneSet' }, [revision]).length === 1;
}

function adopted(metadata: Partial<Metadata>, data = dataOf(given)): boolean {
  const revision = {
    data,
    revision: 1,
    metadata: { namespace: 'ns', name: 'web-bcd', labels: own, ...stamp, ...metadata },
  };
  const isUnowned = byOrphanedHistory.orphan(revision).length > 0;
  return isUnowned && comesBack(owner, revision);
}

const controller = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'web', uid: 'v', controller: true };

it.each<readonly [string, Partial<Metadata>]>([
  ['ours', {}],
  ['Kruise’s', { labels: kruises }],
  ['ours beside an owner that controls nothing', { ownerReferences: [{ ...controller, controller: false }] }],
])('a revision that was %s comes back', (_, metadata) => {
  expect(adopted(metadata)).toBe(true);
});

it.each<readonly [string, Partial<Metadata>]>([
  ['that somebody controls', { ownerReferences: [controller] }],
  ['of another UnitedDeployment', { labels: { ...own, [labels.workload]: 'web-2' } }],
  ['whose name begins like ours', { name: 'web-2-bcd' }],
  ['whose name is not what its hash says', { labels: { ...own, [labels.revisionHash]: 'xyz' } }],
  ['without a hash', { labels: { app: 'web' } }],
  ['whose labels the selector does not match', { labels: { ...own, app: 'db' } }],
  ['that is going', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
])('a revision %s stays where it is', (_, metadata) => {
  expect(adopted(metadata)).toBe(false);
});

it('a revision of a StatefulSet or a DaemonSet is none of ours', () => {
  expect(adopted({}, { spec: { template: { $patch: 'replace', spec: { containers: [] } } } })).toBe(false);
});

it('a revision of a CloneSet comes back without the labels of the template, which Kruise leaves out', () => {
  const data = dataOf(web(undefined, 'CloneSet'));
  expect(adopted({ labels: { [labels.revisionHash]: 'bcd' } }, data)).toBe(true);
  expect(adopted({ labels: { [labels.revisionHash]: 'bcd' } })).toBe(false);
});

it('nothing comes back to what is being deleted', () => {
  const going = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const revision = {
    data: dataOf(given),
    revision: 1,
    metadata: { namespace: 'ns', name: 'web-bcd', labels: own, ...stamp },
  };
  expect(comesBack(going, revision)).toBe(false);
  expect(comesBack(owner, revision)).toBe(true);
});
