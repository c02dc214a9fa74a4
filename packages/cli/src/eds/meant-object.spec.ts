import type { IncomingMessage } from 'node:http';
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

/** Answers for an object: its first reads, and the last one from then on; so many writes meet another one. */
function changing(reads: readonly object[], conflicts: number) {
  let [read, written] = [0, 0];
  return ({ method }: Pick<IncomingMessage, 'method'>) => {
    if (method === 'PATCH') {
      written += 1;
      return written <= conflicts
        ? refusal(409, 'Conflict', 'the object has been modified')
        : { body: agent };
    }
    read += 1;
    return { body: reads[read - 1] ?? reads.at(-1) ?? {} };
  };
}

/** `reads`: what each read of the object answers. */
async function decided(line: readonly string[], reads: readonly object[], conflicts = 0) {
  const answer = changing(reads, conflicts);
  const ran = await runServed(line, (request) =>
    isOfReplicaSet(request.url) ? { body: replicaSet('set', '5') } : answer(request),
  );
  const writes = ran.requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => (JSON.parse(body) as { readonly metadata: object }).metadata);
  return { ...ran, writes };
}

function at(resourceVersion: string, change: { readonly canary?: string | null; readonly uid?: string }) {
  const { canary = 'agent-2', uid = 'agent-uid' } = change;
  const status = {
    activeReplicaSet: 'agent-1',
    ...(canary === null ? {} : { canary: { replicaSet: canary, nodes: ['a'] } }),
  };
  return { ...agent, metadata: { ...agent.metadata, uid, resourceVersion }, status };
}

const aboutCanaries = [
  ['canary', 'validate', 'agent'],
  ['canary', 'pause', 'agent'],
  ['canary', 'unpause', 'agent'],
] as const;

describe('a decision is for the canary that was read', () => {
  it.each(aboutCanaries.map((line) => [line]))(
    '%j is written for the version that was read, and again where the operator wrote meanwhile',
    async (line) => {
      const { code, out, writes } = await decided(line, [at('1', {}), at('2', {})], 1);
      expect(code).toBe(0);
      expect(out).toContain('the canary agent-2');
      expect(writes).toEqual(
        ['1', '2'].map((resourceVersion) => expect.objectContaining({ uid: 'agent-uid', resourceVersion })),
      );
    },
  );

  it.each(aboutCanaries.map((line) => [line]))('%j is not for the one that followed it', async (line) => {
    const { code, out, err, writes } = await decided(line, [at('1', {}), at('2', { canary: 'agent-3' })], 1);
    expect([code, out, writes.length]).toEqual([1, '', 1]);
    expect(err).toContain(
      'the canary agent-2 has ended meanwhile, and agent-3 is tried. Nothing was changed',
    );
  });

  it('nor for one that has ended meanwhile', async () => {
    const { code, err } = await decided(aboutCanaries[2], [at('1', {}), at('2', { canary: null })], 1);
    expect([code, err]).toEqual([
      1,
      'error: ExtendedDaemonSet agent: the canary agent-2 has ended meanwhile. Nothing was changed\n',
    ]);
  });

  it('nor for that of an object that was made again meanwhile', async () => {
    const { code, err } = await decided(aboutCanaries[0], [at('1', {}), at('2', { uid: 'later' })], 1);
    expect(code).toBe(1);
    expect(err).toContain(
      'ExtendedDaemonSet agent was deleted and made again meanwhile. Nothing was changed',
    );
  });

  it.each([...aboutCanaries, ['canary', 'fail', 'agent']].map((line) => [line]))(
    '%j is not written while the operator has not seen the spec',
    async (line) => {
      const { metadata, status } = agent;
      const unseen = {
        ...agent,
        metadata: { ...metadata, generation: 7 },
        status: { ...status, observedGeneration: 6 },
      };
      const { code, err, writes } = await decided(line, [unseen]);
      expect([code, writes]).toEqual([1, []]);
      expect(err).toContain('its spec was changed, and the operator has not seen that yet');
      const seen = { ...unseen, status: { ...status, observedGeneration: 7 } };
      expect(await decided(line, [unseen, seen])).toMatchObject({ code: 0 });
    },
  );

  it('one that was promoted before it could be failed has not failed', async () => {
    const promoted = { ...agent, status: { activeReplicaSet: 'agent-2' } };
    const { code, out, err } = await decided(['canary', 'fail', 'agent'], [agent, promoted]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('the canary agent-2 was promoted meanwhile, and is the active replica set');
  });

  it('a rollout is frozen although the operator has not seen the spec, which it may be about to roll out', async () => {
    const unseen = {
      ...settled,
      metadata: { ...settled.metadata, generation: 7 },
      status: { ...settled.status, observedGeneration: 6 },
    };
    const { code, writes } = await decided(['freeze-rollout', 'agent'], [unseen]);
    expect([code, writes.length]).toEqual([0, 1]);
  });

  it('a rollout that was held before the canary goes on while there is one', async () => {
    const held = { 'extendeddaemonset.datadoghq.com/rollout-frozen': 'true' };
    const frozen = { ...agent, metadata: { ...agent.metadata, annotations: held } };
    const { code, out, writes } = await decided(['unfreeze-rollout', 'agent'], [frozen]);
    expect([code, writes.length]).toEqual([0, 1]);
    expect(out).toBe('ExtendedDaemonSet agent: the rollout goes on.\nThe canary agent-2 stays as it is.\n');
  });

  it('a rollout is not paused where a canary began meanwhile', async () => {
    const { code, err, writes } = await decided(['freeze-rollout', 'agent'], [settled, at('2', {})], 1);
    expect([code, writes.length]).toEqual([1, 1]);
    expect(err).toContain('has a canary, agent-2');
  });
});

describe('a command that is named as the next one is for the same object', () => {
  const validated = {
    ...agent,
    metadata: {
      ...agent.metadata,
      annotations: { 'extendeddaemonset.datadoghq.com/canary-valid': 'agent-2' },
    },
  };

  it.each([
    [['canary', 'pause', 'agent'], agent, 'canary unpause agent'],
    [['canary', 'unpause', 'agent'], agent, 'canary validate agent'],
    [['canary', 'pause', 'agent'], validated, 'pause-rolling-update agent'],
    [['pause-rolling-update', 'agent'], settled, 'unpause-rolling-update agent'],
    [['freeze-rollout', 'agent'], settled, 'unfreeze-rollout agent'],
    [['freeze-rollout', 'agent'], agent, 'canary pause agent'],
  ])('%j names its namespace', async (line, body, next) => {
    const { out, err } = await runServed(['-n', 'ns', ...line], () => ({ body }));
    expect(`${out}${err}`).toContain(`kubectl eds ${next} -n ns`);
  });
});

describe('the canary that is failed is the one that was read', () => {
  /** `sets`: what each read of the replica set answers, and the last one from then on. */
  const failing = async (sets: readonly object[], conflicts: number) => {
    const answer = changing(sets, conflicts);
    return runServed(['canary', 'fail', 'agent'], (request) =>
      isOfReplicaSet(request.url) ? answer(request) : { body: agent },
    );
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
