import { fieldManagers } from '@atoll/api';
import type { KubeObject, ManagedFieldsEntry } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { areReplicasOfOthers, ownersAfterApply, ownersBeforeApply } from './field-owners.ts';

const owned = { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } };
const applied: ManagedFieldsEntry = { manager: fieldManagers.atoll, operation: 'Apply', fieldsV1: owned };
const made: ManagedFieldsEntry = { manager: 'kubectl-create', operation: 'Update', fieldsV1: owned };
const old: ManagedFieldsEntry = { manager: 'yurt-manager', operation: 'Update', fieldsV1: { 'f:spec': {} } };

function child(...managedFields: readonly ManagedFieldsEntry[]): KubeObject {
  return { metadata: { name: 'x', managedFields } };
}

describe('what we applied', () => {
  it.each<readonly [string, ManagedFieldsEntry]>([
    ['what we patched', { ...applied, operation: 'Update' }],
    ['what we wrote of the status', { ...applied, subresource: 'status' }],
    ['what somebody else applied', { ...applied, manager: 'kubectl' }],
  ])('is not %s: its replicas stay with it', (_title, other) => {
    const change = ownersBeforeApply(child(other, applied), undefined);
    expect(change).toMatchObject({
      does: 'release-replicas',
      operations: [
        { op: 'test', path: '/metadata/managedFields/1/manager' },
        { op: 'remove', path: '/metadata/managedFields/1/fieldsV1/f:spec/f:replicas' },
      ],
    });
  });
});

describe('when the child is as it should be', () => {
  it.each([
    ['what made it', made],
    ['what an old operator wrote', old],
  ])('%s becomes ours', (_title, left) => {
    expect(ownersAfterApply(child(applied, left), 2)).toMatchObject({
      does: 'take-over',
      operations: [
        { op: 'test', path: '/metadata/managedFields/1/manager' },
        { op: 'replace', path: '/metadata/managedFields/1/manager', value: fieldManagers.atoll },
        { op: 'replace', path: '/metadata/managedFields/1/operation', value: 'Apply' },
        { op: 'remove', path: '/metadata/managedFields/0' },
        { op: 'add', value: '' },
      ],
    });
  });

  it.each<readonly [string, ManagedFieldsEntry]>([
    ['the status that an old operator wrote', { ...old, subresource: 'status' }],
    ['what was applied under the name of an old operator', { ...old, operation: 'Apply' }],
    ['what a person changed', { ...old, manager: 'kubectl-edit' }],
  ])('%s stays whose it is', (_title, left) => {
    expect(ownersAfterApply(child(applied, left), 2)).toBeUndefined();
  });

  it('nothing changes hands that we have not applied', () => {
    expect(ownersAfterApply(child(old), 2)).toBeUndefined();
  });
});

describe('the replicas of a child that we applied', () => {
  const replicas = { 'f:spec': { 'f:replicas': {} } };
  const withoutReplicas: ManagedFieldsEntry = { ...applied, fieldsV1: { 'f:spec': { 'f:selector': {} } } };
  const scaled: ManagedFieldsEntry = {
    manager: 'kubectl',
    operation: 'Update',
    subresource: 'scale',
    fieldsV1: replicas,
  };

  it.each<readonly [string, ManagedFieldsEntry]>([
    ['that scales it', scaled],
    ['that edits it', { manager: 'kubectl-edit', operation: 'Update', fieldsV1: replicas }],
    ['that applies it', { manager: 'kubectl', operation: 'Apply', fieldsV1: replicas }],
  ])('are those of somebody %s', (_title, other) => {
    expect(areReplicasOfOthers(child(withoutReplicas, other))).toBe(true);
  });

  it('are those of somebody who scales it to 0, and owns nothing then', () => {
    expect(areReplicasOfOthers(child(withoutReplicas))).toBe(true);
  });

  it.each<readonly [string, readonly ManagedFieldsEntry[]]>([
    ['where both have the same', [applied, scaled]],
    [
      'where an old operator has written them since',
      [withoutReplicas, { ...old, fieldsV1: replicas }, scaled],
    ],
    ['where nobody else owns them', [applied, { ...scaled, fieldsV1: { 'f:spec': {} } }]],
    ['where we have not applied it', [made, scaled]],
    ['where owners are not known', []],
  ])('are not %s', (_title, entries) => {
    expect(areReplicasOfOthers(child(...entries))).toBe(false);
  });
});
