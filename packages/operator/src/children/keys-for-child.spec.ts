import { yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { daemonSets, pods } from '@atoll/kube';
import type { CacheEvent, KubeObject, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../simulation/examples/fresh-world.ts';
import { web } from '../../simulation/examples/worked-example.ts';
import { asking, ota } from '../image-pre-pull/image-pre-pull.fixture.ts';
import { pullJob } from '../image-pre-pull/pull-job.ts';
import { keysForChild, ownerKey } from './keys-for-child.ts';

describe('what is owned', () => {
  it('by a pod, whose group has no name, enqueues that pod', () => {
    expect(ownerKey(pods, pullJob(asking(), ota.spec?.template, 'new'))).toBe('edge/agent-n1-old');
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

describe('a child event', () => {
  const ours = child('x', { apiVersion: 'apps.openyurt.io/v1alpha1', kind: 'YurtAppDaemon', name: 'web' });
  const sibling = child('x', {
    apiVersion: 'apps.openyurt.io/v1alpha1',
    kind: 'UnitedDaemonSet',
    name: 'web',
  });
  const laterVersion = child('x', { apiVersion: 'apps.openyurt.io/v1', kind: 'YurtAppDaemon', name: 'web' });
  const stranger = child('web-hz-abc');
  const rows: readonly { title: string; event: CacheEvent<KubeObject>; keys: readonly string[] }[] = [
    { title: 'enqueues its owner', event: { type: 'updated', old: ours, object: ours }, keys: ['ns/web'] },
    {
      title: 'enqueues an owner of any version',
      event: { type: 'added', object: laterVersion },
      keys: ['ns/web'],
    },
    {
      title: 'of the other kind enqueues nothing',
      event: { type: 'updated', old: sibling, object: sibling },
      keys: [],
    },
    {
      title: 'enqueues the owner that it lost',
      event: { type: 'updated', old: ours, object: stranger },
      keys: ['ns/web'],
    },
    { title: 'of nobody enqueues nothing', event: { type: 'added', object: stranger }, keys: [] },
    {
      title: 'that frees a name enqueues who may want it',
      event: { type: 'deleted', object: stranger },
      keys: ['ns/web'],
    },
    {
      title: 'that frees another name enqueues nothing',
      event: { type: 'deleted', object: child('db') },
      keys: [],
    },
  ];
  it.each(rows)('$title', ({ event, keys }) => {
    const world = new FreshWorld();
    const other: PoolWorkload = { ...web, metadata: { name: 'other', namespace: 'ns' } };
    for (const workload of [web, other]) world.put(yurtAppDaemons, workload);
    expect(keysForChild(yurtAppDaemons, world.readers.yurtAppDaemons, event)).toEqual(keys);
  });
});

function child(name: string, owner?: { apiVersion: string; kind: string; name: string }): Stored<KubeObject> {
  const ownerReferences =
    owner === undefined ? [] : [{ ...owner, uid: `uid-${owner.name}`, controller: true }];
  return {
    metadata: {
      name,
      namespace: 'ns',
      ownerReferences,
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-11-01T10:00:00Z',
    },
  };
}
