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

describe('a child of one owner that has the name which another one needs', () => {
  const object = asking();
  const ownedBy = (name: string) => {
    const to = { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: name, controller: true };
    return { ...object, metadata: { ...object.metadata, ownerReferences: [to] } };
  };
  const ownersOf = (...names: readonly string[]) => ({
    resource: daemonSets,
    synced: true,
    get: () => undefined,
    list: () => names.map((name) => ({ ...object, metadata: { ...object.metadata, name } })),
    by: () => [],
  });

  it('enqueues its old owner and its new one when it changes hands', () => {
    const event = { type: 'updated', old: object, object: ownedBy('other') } as const;
    expect(keysForChild(daemonSets, ownersOf(), event)).toEqual(['edge/agent', 'edge/other']);
  });

  it('enqueues who may need the name when it goes', () => {
    const event = { type: 'deleted', object: ownedBy('other') } as const;
    expect(keysForChild(daemonSets, ownersOf('agent', 'other'), event)).toEqual(['edge/other', 'edge/agent']);
  });

  it('enqueues who may need the name when one of two others gives it to the other', () => {
    const event = { type: 'updated', old: ownedBy('first'), object: ownedBy('second') } as const;
    const keys = keysForChild(daemonSets, ownersOf('agent', 'first', 'second'), event);
    expect(keys).toEqual(['edge/first', 'edge/second', 'edge/agent']);
  });

  it('enqueues its owner alone when it comes or changes otherwise', () => {
    const owners = ownersOf('agent', 'other');
    const changed = ownedBy('other');
    expect(keysForChild(daemonSets, owners, { type: 'added', object: changed })).toEqual(['edge/other']);
    const event = { type: 'updated', old: changed, object: { ...changed } } as const;
    expect(keysForChild(daemonSets, owners, event)).toEqual(['edge/other']);
  });
});
