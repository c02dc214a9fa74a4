import { daemonSets, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { asking, ota } from '../image-pre-pull/image-pre-pull.fixture.ts';
import { pullJob } from '../image-pre-pull/pull-job.ts';
import { keysForChild, ownerKey } from './keys-for-child.ts';

describe('what is owned', () => {
  it('by a pod, whose group has no name, enqueues that pod', () => {
    expect(ownerKey(pods, pullJob(asking(), ota, 'new'))).toBe('edge/agent-n1-old');
  });

  it('by an object of another kind enqueues no pod', () => {
    expect(ownerKey(pods, asking())).toBeUndefined();
    expect(ownerKey(daemonSets, asking())).toBe('edge/agent');
  });
});

it('a child that changes hands enqueues its old owner and its new one', () => {
  const object = asking();
  const to = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'other', uid: 'other', controller: true };
  const moved = { ...object, metadata: { ...object.metadata, ownerReferences: [to] } };
  const owners = { resource: daemonSets, synced: true, get: () => undefined, list: () => [], by: () => [] };
  expect(keysForChild(daemonSets, owners, { type: 'updated', old: object, object: moved })).toEqual([
    'edge/agent',
    'edge/other',
  ]);
});
