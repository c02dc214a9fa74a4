import type { Pod, Stored } from '@atoll/kube';
import { expect, it } from 'vitest';
import { upgradablePod } from '../pods/pod.fixture.ts';
import type { UpgradeRecord } from './upgrade-record.ts';
import { upgradeStatus, type UpgradeStatus } from './upgrade-status.ts';

const since = '2026-01-01T00:01:00Z';
const record: UpgradeRecord = {
  namespace: 'edge',
  pod: 'agent-x1',
  uid: 'uid-1',
  owner: 'ds-1',
  since,
  isConfirmed: true,
};
const old = upgradablePod();
const next = (ready: string, metadata: Partial<Stored<Pod>['metadata']> = {}): Stored<Pod> =>
  upgradablePod({
    metadata: { name: 'agent-y2', uid: 'uid-2', creationTimestamp: '2026-01-01T00:01:10Z', ...metadata },
    conditions: [{ type: 'Ready', status: ready }],
  });
const newPod = { name: 'agent-y2', uid: 'uid-2' };
const deletionTimestamp = '2026-01-01T00:02:00Z';

it.each<readonly [string, readonly Stored<Pod>[], UpgradeStatus['state'], UpgradeStatus['newPod']]>([
  ['the old pod is there', [old], 'deleting', undefined],
  ['both are there', [old, next('True')], 'deleting', undefined],
  ['none is there', [], 'waiting', undefined],
  ['the new one is not Ready', [next('False')], 'waiting', newPod],
  ['the new one is Ready', [next('True')], 'ready', newPod],
  ['the new one is being deleted', [next('True', { deletionTimestamp })], 'waiting', undefined],
  ['a pod of another namespace is Ready', [next('True', { namespace: 'other' })], 'waiting', undefined],
  ['a pod without owner is Ready', [next('True', { ownerReferences: [] })], 'waiting', undefined],
  [
    'the newest is not Ready',
    [next('True', { uid: 'uid-0', creationTimestamp: since }), next('False')],
    'waiting',
    newPod,
  ],
])('%s', (_, pods, state, shown) => {
  expect(upgradeStatus(record, pods, true)).toEqual({
    state,
    oldUID: 'uid-1',
    since,
    ...(shown === undefined ? {} : { newPod: shown }),
  });
});

it('is none where nothing was asked for', () => {
  expect(upgradeStatus(undefined, [old], true)).toEqual({ state: 'none' });
});

it('of a deletion without an answer, the pod shows whether it arrived', () => {
  const inDoubt = { ...record, isConfirmed: false };
  expect(upgradeStatus(inDoubt, [old], true)).toEqual({ state: 'none' });
  expect(upgradeStatus(inDoubt, [upgradablePod({ metadata: { deletionTimestamp } })], true).state).toBe(
    'deleting',
  );
  expect(upgradeStatus(inDoubt, [], true).state).toBe('waiting');
  expect(upgradeStatus(inDoubt, [next('True')], true).state).toBe('ready');
});

it('of a deletion without an answer, pods that are as they were kept on disk show nothing', () => {
  const inDoubt = { ...record, isConfirmed: false };
  expect(upgradeStatus(inDoubt, [old], false)).toEqual({ state: 'deleting', oldUID: 'uid-1', since });
  expect(upgradeStatus(undefined, [old], false)).toEqual({ state: 'none' });
});
