import { describe, expect, it } from 'vitest';
import { refusal, runServed } from './served.fixture.ts';

const stamp = { namespace: 'ns', creationTimestamp: '2026-01-01T00:00:00Z' };
const agent = {
  metadata: { ...stamp, name: 'agent', uid: 'agent-uid', resourceVersion: '1' },
  spec: { strategy: { canary: {} }, template: {} },
  status: { activeReplicaSet: 'agent-1', canary: { replicaSet: 'agent-2', nodes: ['a'] } },
};
const settled = { ...agent, status: { activeReplicaSet: 'agent-1' } };

function replicaSet(uid: string, resourceVersion: string, owner = 'agent-uid') {
  const ownerReferences = [{ kind: 'ExtendedDaemonSet', name: 'agent', uid: owner, controller: true }];
  return { metadata: { ...stamp, name: 'agent-2', uid, resourceVersion, ownerReferences } };
}

const isOfReplicaSet = (url = ''): boolean => url.includes('extendeddaemonsetreplicasets');

describe('a decision is for the object that was read', () => {
  it.each(
    [
      ['canary', 'validate', 'agent'],
      ['canary', 'pause', 'agent'],
      ['canary', 'unpause', 'agent'],
      ['pause-rolling-update', 'agent'],
      ['freeze-rollout', 'agent'],
    ].map((line) => [line]),
  )('%j names its uid', async (line) => {
    const { code, requests } = await runServed(line, () => ({
      body: line[0] === 'canary' ? agent : settled,
    }));
    expect(code).toBe(0);
    const [write] = requests.filter(({ method }) => method === 'PATCH');
    expect(JSON.parse(write?.body ?? '')).toMatchObject({ metadata: { uid: 'agent-uid' } });
  });

  it('one that was made again meanwhile gets none', async () => {
    const { code, out, err } = await runServed(['canary', 'pause', 'agent'], ({ method }) =>
      method === 'PATCH'
        ? refusal(422, 'Invalid', 'metadata.uid: field is immutable', 'metadata.uid')
        : { body: agent },
    );
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('It was deleted and made again meanwhile; nothing was changed');
  });
});

describe('the canary that is failed is the one that was read', () => {
  /** `sets`: what each read of the replica set answers, and the last one from then on. */
  const failing = async (sets: readonly object[], conflicts: number) => {
    let reads = 0;
    let writes = 0;
    return runServed(['canary', 'fail', 'agent'], ({ method, url }) => {
      if (!isOfReplicaSet(url)) return { body: agent };
      if (method === 'PATCH') {
        writes += 1;
        return writes <= conflicts
          ? refusal(409, 'Conflict', 'the object has been modified')
          : { body: agent };
      }
      reads += 1;
      return { body: sets[reads - 1] ?? sets.at(-1) ?? {} };
    });
  };
  const versionsOf = (requests: Awaited<ReturnType<typeof failing>>['requests']): readonly unknown[] =>
    requests
      .filter(({ method }) => method === 'PATCH')
      .map(({ body }) => (JSON.parse(body) as { readonly metadata: object }).metadata);

  it('by uid and version, and again where its status was written meanwhile', async () => {
    const { code, requests } = await failing([replicaSet('set', '5'), replicaSet('set', '6')], 1);
    expect(code).toBe(0);
    expect(versionsOf(requests)).toEqual(
      ['5', '6'].map((resourceVersion) => expect.objectContaining({ uid: 'set', resourceVersion })),
    );
  });

  it('not another one of its name', async () => {
    const { code, err, requests } = await failing([replicaSet('set', '5'), replicaSet('other', '9')], 1);
    expect([code, versionsOf(requests)]).toEqual([1, [expect.objectContaining({ uid: 'set' })]]);
    expect(err).toContain(
      'the replica set agent-2 was deleted and made again meanwhile; nothing was changed',
    );
  });

  it('not that of another ExtendedDaemonSet of the name', async () => {
    const { code, err, requests } = await failing([replicaSet('set', '5', 'later-uid')], 0);
    expect([code, versionsOf(requests)]).toEqual([1, []]);
    expect(err).toContain('does not belong to the ExtendedDaemonSet agent that was read');
  });

  it('and not for ever', async () => {
    const { code, err, requests } = await failing([replicaSet('set', '5')], 100);
    expect([code, versionsOf(requests).length]).toEqual([1, 5]);
    expect(err).toContain('Nothing was changed; repeat the command');
  });
});
