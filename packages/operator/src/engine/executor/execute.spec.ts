import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, controllerOf, groupResourceOf, keyOf, parseKey } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { KubeObject, Resource, Stored, WriteThroughCache } from '@atoll/kube';
import { slotOf } from '../../../simulation/model/store.ts';
import { emptyCaches, ModelCache } from '../../../simulation/model/caches.ts';
import { ModelClient } from '../../../simulation/model/model-client.ts';
import type { Mishap } from '../../../simulation/model/model-client.ts';
import { children, pools, spreads } from '../../../simulation/examples/one-child-per-pool.ts';
import type { Child, Pool, Spread } from '../../../simulation/examples/one-child-per-pool.ts';
import { executorOf } from '../engine.fixture.ts';
import type { Driven, Executor, ExecutorOptions, Work } from './execute.ts';
import { beginReconcile, nextOf } from '../reconcile/machine.ts';
import type { ControllerCommand, ControllerEvent, Reconcile } from '../reconcile/machine.ts';
import { shippedRules } from '../reconcile/rules.ts';
import { guardOf, guardOfAbsent, nothingToDo } from '../plan.ts';
import type { Plan, Stage } from '../plan.ts';
import { seenAs, seenInSpec } from '../steps/seen.ts';
import type { PlannedEvent, Seen, Step, StepResult } from '../step.ts';

const why = { word: 'ChildCreated', message: 'because' } as const;
const forbidden = refusalOf(403, 'create child', 'exceeded quota');

const notServed = new ApiError({
  fate: 'refused',
  code: 404,
  reason: 'NotServed',
  attempted: 'get child',
  message: 'the server could not find the requested resource',
});

function rig(options: Partial<ExecutorOptions> = {}) {
  const client = new ModelClient();
  const web = client.put<Spread>(spreads, {
    metadata: { name: 'web', namespace: 'edge' },
    spec: { version: 1 },
  });
  const shown = { content: emptyCaches, unsynced: new Set<string>() };
  const caches = [
    new ModelCache(spreads, shown),
    new ModelCache(children, shown),
    new ModelCache(pools, shown),
  ];
  const cacheOf = (resource: Resource<KubeObject>): WriteThroughCache<KubeObject> | undefined =>
    caches.find((cache) => (cache.resource as object) === resource) as
      WriteThroughCache<KubeObject> | undefined;
  cacheOf(spreads as Resource<KubeObject>)?.wrote(web);
  const events: PlannedEvent[] = [];
  const recordEvent = (event: PlannedEvent): number => events.push(event);
  const executor = executorOf({ client, cacheOf, recordEvent, ...options });
  const end = new AbortController();
  const work = { controller: 'spread', key: 'edge/web', signal: end.signal };
  const cached = (name: string): Stored<Child> | undefined =>
    caches[1]?.get({ namespace: 'edge', name }) as never;
  return { client, web, executor, work, end, cached, cacheOf, events };
}

function child(owner: KubeObject, pool: string, version = 1): Child {
  const { name, uid = '' } = owner.metadata;
  const reference = { apiVersion: 'example.test/v1', kind: 'Spread', name, uid, controller: true };
  return {
    metadata: { name: `${name}-${pool}`, namespace: 'edge', labels: { pool }, ownerReferences: [reference] },
    spec: { version },
  };
}

function create(object: Child, managed: 'apply' | 'once' = 'apply'): Step {
  return {
    do: 'create',
    why,
    target: object.metadata.labels?.['pool'] ?? '',
    resource: children,
    object,
    managed,
    identity: ['pool'],
  };
}

function update(stored: Stored<Child>, version: number): Step {
  const { uid, resourceVersion, creationTimestamp: _c, generation: _g, ...metadata } = stored.metadata;
  const object = { metadata, spec: { version } } as KubeObject;
  return { do: 'apply', why, resource: children, object, uid, resourceVersion };
}

function remove(stored: Stored<Child>): Step {
  const { name, uid } = stored.metadata;
  return {
    do: 'delete',
    why,
    resource: children,
    key: { namespace: 'edge', name },
    uid,
    propagation: 'Background',
  };
}

function planOf(steps: readonly Step[], stage: Partial<Stage> = {}): Plan {
  return { ...nothingToDo, stages: [{ name: 'stage', steps, ...stage }] };
}

/** Whether all that is in doubt for the key could be read back. */
async function resolves(executor: Executor, work: Work): Promise<boolean> {
  const resource = spreads as Resource<KubeObject>;
  return executor.drive<Reconcile, ControllerEvent, ControllerCommand, boolean>(
    {
      begin: (memory, bound) =>
        beginReconcile({ resource, key: parseKey(work.key), bound, memory }, shippedRules),
      next: (state, event, facts) => nextOf(state, event, facts, shippedRules),
      carryOut: () => undefined,
      resultOf: ({ phase }) => (phase === 'resolving' ? undefined : phase === 'observing'),
    },
    work,
  );
}

function did(results: readonly StepResult[]): readonly string[] {
  return results.map((result) => {
    if (result.did === 'failed') return result.error.reason;
    if (result.did === 'skipped') return result.because;
    return result.adopted === true ? 'adopted' : 'done';
  });
}

describe('a step that the controller does not declare', () => {
  it('fails as an error of ours and is never sent; others go', async () => {
    const { client, web, executor, work, cached } = rig({
      undeclared: (step, controller) =>
        step.do === 'delete' ? `${controller} does not declare that it may delete it` : undefined,
    });
    const old = client.put<Child>(children, child(web, 'old'));
    const { results } = await executor.execute(planOf([remove(old), create(child(web, 'new'))]), work);
    const message = expect.stringContaining('spread does not declare that it may delete it') as string;
    expect(results).toMatchObject([
      { did: 'failed', error: { fate: 'unsent', reason: 'InternalError', message } },
      { did: 'done' },
    ]);
    await expect(client.get(children, { namespace: 'edge', name: 'web-old' })).resolves.toBeDefined();
    expect(cached('web-new')).toBeDefined();
  });
});

describe('what is written is readable at once', () => {
  it('puts created, changed and deleted objects into the cache before the plan ends', async () => {
    const { client, web, executor, work, cached } = rig();
    await executor.execute(planOf([create(child(web, 'a')), create(child(web, 'b'), 'once')]), work);
    const [a, b] = [cached('web-a'), cached('web-b')];
    if (a === undefined || b === undefined) throw new Error('not in the cache');
    expect(client.sent.map(({ verb }) => verb)).toEqual(['create-by-apply', 'create']);
    const { results } = await executor.execute(planOf([update(a, 2), remove(b)]), work);
    expect(did(results)).toEqual(['done', 'done']);
    expect(cached('web-a')?.spec.version).toBe(2);
    expect(cached('web-b')).toBeUndefined();
  });

  it('names the uid in every apply, patch and delete', async () => {
    const { client, web, executor, work } = rig();
    const a = client.put(children, child(web, 'a'));
    const { name, uid, resourceVersion } = a.metadata;
    const patch: Step = {
      do: 'patch',
      why,
      resource: children,
      key: { namespace: 'edge', name },
      uid,
      resourceVersion,
      patch: { type: 'merge', body: { spec: { version: 3 } } },
    };
    await executor.execute(planOf([patch]), work);
    await executor.execute(planOf([update(a, 4)]), work);
    await executor.execute(planOf([remove(a)]), work);
    expect(client.sent.filter(({ verb }) => verb !== 'get')).toMatchObject([
      { patch: { body: { metadata: { uid, resourceVersion }, spec: { version: 3 } } } },
      { object: { metadata: { uid } } },
      { options: { uid, propagationPolicy: 'Background' } },
    ]);
  });
});

describe('one step does not decide over another', () => {
  it('goes on after a refusal, and keeps the order of results', async () => {
    const { client, web, executor, work } = rig();
    client.mishap = (request) =>
      'object' in request && request.object.metadata.name === 'web-a' ? forbidden : undefined;
    const steps = ['a', 'b', 'c'].map((pool) => create(child(web, pool)));
    for (const slowStart of [false, true]) {
      const { results } = await executor.execute(planOf(steps, { slowStart }), work);
      expect(did(results)).toEqual(
        slowStart ? ['Forbidden', 'adopted', 'adopted'] : ['Forbidden', 'done', 'done'],
      );
    }
  });

  it('holds a stage back that needs the success of those before it, and no other', async () => {
    const { client, web, executor, work } = rig();
    client.mishap = (request) =>
      'object' in request && request.object.metadata.name === 'web-a' ? forbidden : undefined;
    const stage = (pool: string, onlyAfterSuccess = false): Stage => ({
      name: pool,
      steps: [create(child(web, pool))],
      onlyAfterSuccess,
    });
    const stages = [stage('a'), stage('b', true), stage('c')];
    const { results } = await executor.execute({ ...nothingToDo, stages }, work);
    expect(did(results)).toEqual(['Forbidden', 'earlier-stage-failed', 'done']);
  });
});

describe('a step that depends on another', () => {
  const refusedFor = (code: number) =>
    new ApiError({ fate: 'refused', code, reason: 'Some', attempted: 'apply child', message: 'no' });

  async function followed(mishap?: ApiError) {
    const { client, web, executor, work } = rig();
    const [a, b] = [
      client.put<Child>(children, child(web, 'a')),
      client.put<Child>(children, child(web, 'b')),
    ];
    // One that the world has left behind.
    const outdated = { ...update(a, 2), resourceVersion: '0' } as Step;
    client.mishap = (request) =>
      mishap !== undefined && 'object' in request && request.object.metadata.name === 'web-a'
        ? mishap
        : undefined;
    const stages: readonly Stage[] = [
      { name: 'first', steps: [mishap === undefined ? outdated : update(a, 2)] },
      {
        name: 'second',
        steps: [{ ...update(b, 2), dependsOn: [a.metadata.uid] }, create(child(web, 'c'))],
        slowStart: true,
      },
    ];
    const { results } = await executor.execute({ ...nothingToDo, stages }, work);
    return did(results);
  }

  it('waits where that was dropped or may still succeed, and holds back no other', async () => {
    expect(await followed()).toEqual(['plan-outdated', 'earlier-stage-failed', 'done']);
    expect(await followed(refusedFor(503))).toEqual(['Some', 'earlier-stage-failed', 'done']);
  });

  it('goes on where that was refused for good', async () => {
    expect(await followed(refusedFor(422))).toEqual(['Some', 'done', 'done']);
  });

  it('goes where that is done', async () => {
    const { client, web, executor, work } = rig();
    const [a, b] = [
      client.put<Child>(children, child(web, 'a')),
      client.put<Child>(children, child(web, 'b')),
    ];
    const stages: readonly Stage[] = [
      { name: 'first', steps: [update(a, 2)] },
      { name: 'second', steps: [{ ...update(b, 2), dependsOn: [a.metadata.uid] }] },
    ];
    expect(did((await executor.execute({ ...nothingToDo, stages }, work)).results)).toEqual(['done', 'done']);
  });
});

describe('slow start', () => {
  it('sends 1, 2, 4 and so on, never more than the bound', async () => {
    const { client, web, executor, work } = rig({ requestsInFlight: 3 });
    const waves: number[] = [];
    client.gate = async () => {
      await Promise.resolve();
      waves.push(client.open);
    };
    const steps = Array.from({ length: 8 }, (_, index) => create(child(web, `p${index}`)));
    const { results } = await executor.execute(planOf(steps, { slowStart: true }), work);
    expect(did(results)).toEqual(Array.from({ length: 8 }, () => 'done'));
    expect(waves.slice(0, 3)).toEqual([1, 2, 2]);
    expect(client.mostOpen).toBe(3);
  });

  it('at the bound one slow answer holds back nobody', async () => {
    const { client, web, executor, work } = rig({ requestsInFlight: 2 });
    const last = Promise.withResolvers<void>();
    client.gate = async () => {
      if (client.sent.length === 2) await last.promise;
      if (client.sent.length === 8) last.resolve();
    };
    const steps = Array.from({ length: 8 }, (_, index) => create(child(web, `p${index}`)));
    const { results } = await executor.execute(planOf(steps, { slowStart: true }), work);
    expect(did(results)).toEqual(Array.from({ length: 8 }, () => 'done'));
  });

  it('ends a stage after ten refusals in a row, and begins with the others the next time', async () => {
    const { client, web, executor, work } = rig();
    const bad = new Set(Array.from({ length: 12 }, (_, index) => `web-p${index}`));
    client.mishap = (request) =>
      'object' in request && bad.has(request.object.metadata.name) ? forbidden : undefined;
    const steps = Array.from({ length: 14 }, (_, index) => create(child(web, `p${index}`)));
    const first = await executor.execute(planOf(steps, { slowStart: true }), work);
    expect(client.sent.length).toBe(10);
    expect(did(first.results).slice(10)).toEqual(Array.from({ length: 4 }, () => 'too-many-failures'));
    const second = await executor.execute(planOf(steps, { slowStart: true }), work);
    expect(did(second.results).slice(12)).toEqual(['done', 'done']);
  });
});

describe('a lost response', () => {
  it.each(['lost-after', 'lost-before'] as const)(
    'of a create (%s) is settled by a live read',
    async (mishap) => {
      const { client, web, executor, work, cached } = rig();
      client.mishap = (request) => (request.verb === 'create-by-apply' ? mishap : undefined);
      const { results } = await executor.execute(planOf([create(child(web, 'a'))]), work);
      expect(did(results)).toEqual([mishap === 'lost-after' ? 'adopted' : 'Timeout']);
      expect(client.sent.map(({ verb }) => verb)).toEqual(['create-by-apply', 'get']);
      expect(cached('web-a') === undefined).toBe(mishap === 'lost-before');
      expect(await resolves(executor, work)).toBe(true);
    },
  );

  it.each(['lost-after', 'lost-before'] as const)(
    'of an apply and of a delete (%s) as well',
    async (mishap) => {
      const { client, web, executor, work, cached, cacheOf } = rig();
      const [a, b] = [client.put(children, child(web, 'a')), client.put(children, child(web, 'b'))];
      for (const each of [a, b]) cacheOf(children as Resource<KubeObject>)?.wrote(each);
      client.mishap = (request) => (request.verb === 'get' ? undefined : mishap);
      const { results } = await executor.execute(planOf([update(a, 2), remove(b)]), work);
      const happened = mishap === 'lost-after';
      expect(did(results)).toEqual(happened ? ['done', 'done'] : ['Timeout', 'Timeout']);
      expect(cached('web-a')?.spec.version).toBe(happened ? 2 : 1);
      expect(cached('web-b') === undefined).toBe(happened);
    },
  );

  it('keeps the key from being planned while the object cannot be read', async () => {
    const { client, web, executor, work, cached } = rig();
    client.mishap = (request) => (request.verb === 'get' ? 'lost-before' : 'lost-after');
    await executor.execute(planOf([create(child(web, 'a'))]), work);
    expect(await resolves(executor, work)).toBe(false);
    expect(await resolves(executor, { ...work, key: 'edge/other' })).toBe(true);
    client.mishap = () => undefined;
    expect(await resolves(executor, work)).toBe(true);
    expect(cached('web-a')?.spec.version).toBe(1);
  });

  it('keeps no key from being planned whose object is of a kind that is not served any more', async () => {
    const { client, web, executor, work } = rig();
    client.mishap = () => 'lost-before';
    await executor.execute(planOf([create(child(web, 'a'))]), work);
    client.mishap = () => notServed;
    expect(await resolves(executor, work)).toBe(true);
  });
});

describe('a plan that changes an object which guards it', () => {
  async function carriedOut(mishap: (verb: string, sent: readonly string[]) => Mishap) {
    const { client, web, executor, work } = rig();
    const { uid, resourceVersion } = web.metadata;
    const patch = { type: 'merge', body: { spec: { version: 2 } } } as const;
    const change: Step = {
      do: 'patch',
      why,
      resource: spreads as Resource<KubeObject>,
      key: { namespace: 'edge', name: 'web' },
      uid,
      resourceVersion,
      patch,
    };
    const sent: string[] = [];
    client.mishap = (request) => {
      const answer = mishap(request.verb, sent);
      sent.push(request.verb);
      return answer;
    };
    const stages = [change, create(child(web, 'a'))].map((step): Stage => ({
      name: 'stage',
      steps: [step],
    }));
    const plan = { ...nothingToDo, stages, guards: [guardOf(spreads, web)] };
    return did((await executor.execute(plan, work)).results);
  }

  it('goes on where that is refused, and is dropped where it is done', async () => {
    expect(await carriedOut((verb) => (verb === 'patch' ? forbidden : undefined))).toEqual([
      'Forbidden',
      'done',
    ]);
    expect(await carriedOut(() => undefined)).toEqual(['done', 'plan-outdated']);
  });

  it('and of which the answer was lost, goes by a live read, and is dropped where the object cannot be read', async () => {
    const lost = (mishap: Mishap) => carriedOut((verb) => (verb === 'patch' ? mishap : undefined));
    expect(await lost('lost-after')).toEqual(['done', 'plan-outdated']);
    expect(await lost('lost-before')).toEqual(['Timeout', 'done']);
    const unreadable = (mishap: Mishap) =>
      carriedOut((verb, sent) =>
        verb === 'patch' ? mishap : verb === 'get' && sent.includes('patch') ? 'lost-before' : undefined,
      );
    expect(await unreadable('lost-after')).toEqual(['Timeout', 'plan-outdated']);
    expect(await unreadable('lost-before')).toEqual(['Timeout', 'plan-outdated']);
  });
});

describe('a name that is taken', () => {
  it('is success where the object has our owner and identity', async () => {
    const { client, web, executor, work, cached } = rig();
    client.put(children, child(web, 'a', 7));
    const { results } = await executor.execute(planOf([create(child(web, 'a'))]), work);
    expect(did(results)).toEqual(['adopted']);
    expect(cached('web-a')?.spec.version).toBe(7);
  });

  const strangers: Readonly<Record<string, (web: KubeObject) => Child>> = {
    'nobody owns it': (web) => ({ ...child(web, 'a'), metadata: { name: 'web-a', namespace: 'edge' } }),
    'a namesake of our owner owns it': () =>
      child({ metadata: { name: 'web', uid: 'uid-of-another-web' } }, 'a'),
    'it is ours for another pool': (web) => ({
      ...child(web, 'b'),
      metadata: { ...child(web, 'b').metadata, name: 'web-a' },
    }),
  };
  it.each(Object.entries(strangers))(
    'is a failure, and nothing is touched, where %s',
    async (_, stranger) => {
      const { client, web, executor, work } = rig();
      const before = client.put(children, stranger(web));
      const { results } = await executor.execute(planOf([create(child(web, 'a'))]), work);
      expect(did(results)).toEqual(['NameTaken']);
      expect(client.stored(children, { namespace: 'edge', name: 'web-a' })).toEqual(before);
    },
  );
});

describe('a step whose world is gone is dropped, not failed', () => {
  it('another object under the name: apply and delete leave it alone', async () => {
    const { client, web, executor, work } = rig();
    const old = client.put(children, child(web, 'a'));
    const next = client.put(children, child(web, 'a', 5));
    const { results } = await executor.execute(planOf([update(old, 2), remove(old)]), work);
    expect(did(results)).toEqual(['plan-outdated', 'plan-outdated']);
    expect(client.stored(children, { namespace: 'edge', name: 'web-a' })).toEqual(next);
  });

  it('what cannot be taken back is done only when the live parent is as in the guard', async () => {
    const { client, web, executor, work, cacheOf } = rig();
    const [a, b] = ['a', 'b'].map((pool) => client.put(children, child(web, pool)));
    if (a === undefined || b === undefined) throw new Error('nothing was put');
    const final = (step: Step): Plan => ({
      ...planOf([{ ...step, irreversible: true }]),
      guards: [guardOf(spreads, web)],
    });
    expect(did((await executor.execute(final(remove(a)), work)).results)).toEqual(['done']);
    expect(client.sent.map(({ verb }) => verb)).toEqual(['get', 'get', 'delete']);
    await client.patch(
      spreads,
      { namespace: 'edge', name: 'web' },
      { type: 'merge', body: { spec: { version: 2 } } },
    );
    expect(did((await executor.execute(final(remove(b)), work)).results)).toEqual(['plan-outdated']);
    expect(client.stored(children, { namespace: 'edge', name: 'web-b' })).toEqual(b);
    expect(cacheOf(spreads as Resource<KubeObject>)?.get({ namespace: 'edge', name: 'web' })).not.toEqual(
      web,
    );
  });

  it('no object any more: an apply creates nothing, a delete is done', async () => {
    const { client, web, executor, work } = rig();
    const old = client.put(children, child(web, 'a'));
    await executor.execute(planOf([remove(old)]), work);
    const { results } = await executor.execute(planOf([update(old, 2), remove(old)]), work);
    expect(did(results)).toEqual(['plan-outdated', 'done']);
    expect(client.store.objects.has(slotOf(children, { namespace: 'edge', name: 'web-a' }))).toBe(false);
  });

  it.each([
    ['changed', { generation: 2 }, 'plan-outdated'],
    ['is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }, 'plan-outdated'],
    ['is as it was', {}, 'done'],
  ])('the parent %s: nothing is made, applied or deleted any more', async (_how, change, expected) => {
    const { client, web, executor, work, cacheOf } = rig();
    const a = client.put(children, child(web, 'a'));
    const b = client.put(children, child(web, 'b'));
    const steps = [remove(b), create(child(web, 'c')), update(a, 2)];
    const metadata = { ...web.metadata, resourceVersion: '100', ...change };
    cacheOf(spreads as Resource<KubeObject>)?.wrote({ ...web, metadata } as Stored<KubeObject>);
    const { results } = await executor.execute({ ...planOf(steps), guards: [guardOf(spreads, web)] }, work);
    expect(did(results)).toEqual([expected, expected, expected]);
  });
});

describe('a plan is left for something more urgent', () => {
  it.each([true, false])(
    'slow start: %s; what is not started is dropped without a place',
    async (slowStart) => {
      const { client, web, executor, work, cacheOf } = rig({ requestsInFlight: 2 });
      const steps = Array.from({ length: 1_000 }, (_, index) => create(child(web, `p${index}`)));
      client.gate = () => {
        if (client.sent.length !== 6) return Promise.resolve();
        const metadata = { ...web.metadata, resourceVersion: '100', generation: 2 };
        cacheOf(spreads as Resource<KubeObject>)?.wrote({ ...web, metadata } as Stored<KubeObject>);
        return Promise.resolve();
      };
      const stages: readonly Stage[] = [
        { name: 'first', steps, slowStart },
        { name: 'second', steps: [create(child(web, 'last'))] },
      ];
      const { results } = await executor.execute(
        { ...nothingToDo, stages, guards: [guardOf(spreads, web)] },
        work,
      );
      const sent = results.filter((result) => result.did === 'done').length;
      expect(sent).toBeLessThanOrEqual(7);
      expect(did(results).slice(sent)).toEqual(Array.from({ length: 1_001 - sent }, () => 'plan-outdated'));
    },
  );
});

describe('a plan that several objects guard', () => {
  function guardedByPool() {
    const all = rig();
    const { client, web, cacheOf } = all;
    const pool = client.put<Pool>(pools, { metadata: { name: 'a' }, spec: { on: true } });
    const cache = cacheOf(pools as Resource<KubeObject>);
    cache?.wrote(pool);
    const stage = (name: string): Stage => ({ name, steps: [create(child(web, name))] });
    const guards = [guardOf(spreads, web), guardOf(pools, pool)];
    const plan: Plan = { ...nothingToDo, stages: [stage('a'), stage('b')], guards };
    return { ...all, pool, cache, plan };
  }

  it('reads each of them live before its first request', async () => {
    const { client, executor, work, plan } = guardedByPool();
    expect(did((await executor.execute(plan, work)).results)).toEqual(['done', 'done']);
    expect(client.sent.slice(0, 3).map(({ verb, resource }) => `${verb} ${resource.kind}`)).toEqual([
      'get Spread',
      'get Pool',
      'create-by-apply Child',
    ]);
  });

  it('sends nothing where one of them is another one by now', async () => {
    const { client, executor, work, plan } = guardedByPool();
    await client.patch(pools, { name: 'a' }, { type: 'merge', body: { spec: { on: false } } });
    expect(did((await executor.execute(plan, work)).results)).toEqual(['plan-outdated', 'plan-outdated']);
  });

  it('drops the rest where one of them changes meanwhile', async () => {
    const { client, executor, work, plan, cache, pool } = guardedByPool();
    client.gate = ({ verb }) => {
      const metadata = { ...pool.metadata, resourceVersion: '100', generation: 2 };
      if (verb !== 'get') cache?.wrote({ ...pool, metadata });
      return Promise.resolve();
    };
    expect(did((await executor.execute(plan, work)).results)).toEqual(['done', 'plan-outdated']);
  });
});

describe('a cache that is behind, for as long as its stream stands still', () => {
  const key = { namespace: 'edge', name: 'web' };
  const verbs = (client: ModelClient): readonly string[] => client.sent.map(({ verb }) => verb);

  function behind() {
    const all = rig();
    const { client, web, cacheOf } = all;
    const cachedWeb = (): Stored<KubeObject> | undefined =>
      cacheOf(spreads as Resource<KubeObject>)?.get(key);
    const [a, b] = [
      client.put<Child>(children, child(web, 'a', 2)),
      client.put<Child>(children, child(web, 'b', 2)),
    ];
    for (const each of [a, b]) cacheOf(children as Resource<KubeObject>)?.wrote(each);
    const plan: Plan = {
      ...nothingToDo,
      guards: [guardOf(spreads, web)],
      stages: [
        { name: 'apply', steps: [update(a, 1)] },
        { name: 'create', steps: [create(child(web, 'c'))], slowStart: true },
        { name: 'delete', steps: [{ ...remove(b), irreversible: true }] },
      ],
    };
    return { ...all, plan, a, cachedWeb };
  }

  it('sends nothing for a spec that is no more, and plans from the live one the next time', async () => {
    const { client, executor, work, plan, cachedWeb } = behind();
    const live = await client.patch(spreads, key, { type: 'merge', body: { spec: { version: 2 } } });
    client.sent.length = 0;
    const { results } = await executor.execute(plan, work);
    expect(did(results)).toEqual(['plan-outdated', 'plan-outdated', 'plan-outdated']);
    expect(verbs(client)).toEqual(['get']);
    expect(cachedWeb()).toEqual(live);
  });

  it('sends nothing for a parent that is gone', async () => {
    const { client, web, executor, work, plan, cachedWeb } = behind();
    await client.delete(spreads, key, { uid: web.metadata.uid });
    client.sent.length = 0;
    const { results } = await executor.execute(plan, work);
    expect(did(results)).toEqual(['plan-outdated', 'plan-outdated', 'plan-outdated']);
    expect(verbs(client)).toEqual(['get']);
    expect(cachedWeb()).toBeUndefined();
  });

  it('sends nothing where the parent cannot be read, and reports that once', async () => {
    const { client, executor, work, plan } = behind();
    client.mishap = ({ verb }) => (verb === 'get' ? forbidden : undefined);
    const { results } = await executor.execute(plan, work);
    expect(did(results)).toEqual(['Forbidden', 'earlier-stage-failed', 'earlier-stage-failed']);
    expect(verbs(client)).toEqual(['get']);
    // The read was refused, and the write is as good as it was.
    expect(results[0]).toMatchObject({ error: { fate: 'unsent', attempted: 'nothing was sent' } });
  });

  it('names the definition that is gone, where the API server only answers that there is no such page', async () => {
    const { client, executor, work, plan, a } = behind();
    client.mishap = ({ verb }) => (verb === 'get' ? notServed : undefined);
    const gone = (resource: typeof spreads | typeof pools): string =>
      `nothing was sent: the API server does not serve ${groupResourceOf(resource)}: the definition of this name was deleted, or is not served yet`;
    const parent = await executor.execute(plan, work);
    expect(parent.results[0]).toMatchObject({ error: { message: gone(spreads) } });
    const absent = seenAs(pools, { name: 'b' }, undefined);
    const other = await executor.execute(planOf([{ ...remove(a), restsOn: [absent] }]), work);
    expect(other.results[0]).toMatchObject({ error: { message: gone(pools) } });
  });

  it('sends nothing for the absence of what is there by now', async () => {
    const { client, web, executor, work, a } = behind();
    const plan = { ...planOf([update(a, 3)]), guards: [guardOfAbsent(spreads as Resource<KubeObject>, key)] };
    expect(did((await executor.execute(plan, work)).results)).toEqual(['plan-outdated']);
    await client.delete(spreads, key, { uid: web.metadata.uid });
    expect(did((await executor.execute(plan, work)).results)).toEqual(['plan-outdated']);
    expect(client.stored(children, { namespace: 'edge', name: 'web-a' })).toEqual(a);
  });

  it('makes nothing beside what no cache holds yet, and plans from it the next time', async () => {
    const { client, web, executor, work, cached } = behind();
    const restored = client.put<Child>(children, {
      metadata: { name: 'web-old', namespace: 'edge', labels: { pool: 'c' } },
      spec: { version: 1 },
    });
    const listing = {
      resource: children as Resource<KubeObject>,
      namespace: 'edge',
      labelSelector: 'pool in (c,d)',
      known: [],
    };
    const steps = planOf([create(child(web, 'c'))]);
    const plan = { ...steps, guards: [guardOf(spreads, web)], unseen: [listing] };
    expect(did((await executor.execute(plan, work)).results)).toEqual(['plan-outdated']);
    expect(verbs(client)).toEqual(['get']);
    expect(cached('web-old')).toEqual(restored);
    // As where the watch brings it while the plan is confirmed: the cache holds it, and the plan was made without it.
    expect(did((await executor.execute(plan, work)).results)).toEqual(['plan-outdated']);
    const knowing = { ...plan, unseen: [{ ...listing, known: [restored.metadata.uid] }] };
    expect(did((await executor.execute(knowing, work)).results)).toEqual(['done']);
  });

  it('makes nothing beside what somebody controls and no cache holds; what it holds is not the plan’s', async () => {
    const { client, web, executor, work, cached } = behind();
    const { metadata, ...rest } = child(web, 'old');
    const other = client.put<Child>(children, {
      ...rest,
      metadata: { ...metadata, labels: { pool: 'c' } },
    });
    const unseen = [
      { resource: children as Resource<KubeObject>, namespace: 'edge', labelSelector: 'pool=c', known: [] },
    ];
    const plan = { ...planOf([create(child(web, 'c'))]), unseen };
    expect(did((await executor.execute(plan, work)).results)).toEqual(['plan-outdated']);
    expect(cached(other.metadata.name)).toEqual(other);
    expect(did((await executor.execute(plan, work)).results)).toEqual(['done']);
  });

  it('makes nothing where it cannot be listed, and reports that once', async () => {
    const { client, web, executor, work } = behind();
    client.list = () => Promise.reject(forbidden);
    const unseen = [
      { resource: children as Resource<KubeObject>, namespace: 'edge', labelSelector: 'pool', known: [] },
    ];
    const plan = { ...planOf([create(child(web, 'c')), create(child(web, 'd'))]), unseen };
    const { results } = await executor.execute(plan, work);
    expect(did(results)).toEqual(['Forbidden', 'earlier-stage-failed']);
    expect(results[0]).toMatchObject({ error: { fate: 'unsent', attempted: 'nothing was sent' } });
    expect(verbs(client)).toEqual([]);
  });

  it('deletes nothing because of another object that is not as it was seen', async () => {
    const { client, executor, work, a, cacheOf } = behind();
    const pool = client.put<Pool>(pools, { metadata: { name: 'a' }, spec: { on: true } });
    const seen = seenAs(pools, { name: 'a' }, pool);
    const absent = seenAs(pools, { name: 'b' }, undefined);
    const rests = (restsOn: readonly Seen[]): Plan => planOf([{ ...remove(a), restsOn }]);
    const poolCache = cacheOf(pools as Resource<KubeObject>);
    await client.patch(
      pools,
      { name: 'a' },
      { type: 'merge', body: { metadata: { labels: { tier: 'a' } } } },
    );
    expect(did((await executor.execute(rests([seen]), work)).results)).toEqual(['plan-outdated']);
    const now = poolCache?.get({ name: 'a' });
    expect(now?.metadata.labels).toEqual({ tier: 'a' });
    client.put<Pool>(pools, { metadata: { name: 'b' }, spec: { on: true } });
    expect(did((await executor.execute(rests([absent]), work)).results)).toEqual(['plan-outdated']);
    expect(client.stored(children, { namespace: 'edge', name: 'web-a' })).toEqual(a);
    const fresh = seenAs(pools, { name: 'a' }, now as Stored<Pool>);
    expect(did((await executor.execute(rests([fresh]), work)).results)).toEqual(['done']);
  });

  it('makes nothing from an object whose spec was changed since; all else may change', async () => {
    const { client, web, executor, work } = behind();
    const pool = client.put<Pool>(pools, { metadata: { name: 'a' }, spec: { on: true } });
    const copyTo = (name: string) =>
      planOf([{ ...create(child(web, name)), restsOn: [seenInSpec(pools, pool)] }]);
    const change = (body: object) => client.patch(pools, { name: 'a' }, { type: 'merge', body });
    await change({ metadata: { annotations: { noted: 'yes' } } });
    expect(did((await executor.execute(copyTo('c'), work)).results)).toEqual(['done']);
    await change({ spec: { on: false } });
    client.sent.length = 0;
    expect(did((await executor.execute(copyTo('d'), work)).results)).toEqual(['plan-outdated']);
    expect(verbs(client)).toEqual(['get']);
  });

  it('reads no parent for a plan that writes nothing', async () => {
    const { client, web, executor, work } = behind();
    await executor.execute({ ...planOf([]), guards: [guardOf(spreads, web)] }, work);
    expect(client.sent).toEqual([]);
  });

  it('reads an object back whose write is refused because it has another version', async () => {
    const { client, executor, work, a, cached } = behind();
    const live = await client.patch<Child>(
      children,
      { namespace: 'edge', name: 'web-a' },
      { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } },
    );
    client.sent.length = 0;
    expect(did((await executor.execute(planOf([update(a, 3)]), work)).results)).toEqual(['plan-outdated']);
    expect(verbs(client)).toEqual(['apply', 'get']);
    expect(cached('web-a')).toEqual(live);
    expect(did((await executor.execute(planOf([update(live, 3)]), work)).results)).toEqual(['done']);
  });

  it('reads an object back whose patch finds none, so that it is planned no more', async () => {
    const { client, executor, work, a, cached } = behind();
    const { uid, resourceVersion } = a.metadata;
    const webA = { namespace: 'edge', name: 'web-a' };
    await client.delete(children, webA, { uid });
    client.sent.length = 0;
    const patch = { type: 'merge', body: { spec: { version: 3 } } } as const;
    const resource = children as Resource<KubeObject>;
    const change: Step = { do: 'patch', why, resource, key: webA, uid, resourceVersion, patch };
    expect(did((await executor.execute(planOf([change]), work)).results)).toEqual(['plan-outdated']);
    expect(verbs(client)).toEqual(['patch', 'get']);
    expect(cached('web-a')).toBeUndefined();
  });
});

describe('who may not write sends nothing', () => {
  it('asks directly before each send, also for steps that waited for a place', async () => {
    let leader = true;
    const { client, web, executor, work } = rig({ mayWrite: () => leader, requestsInFlight: 1 });
    client.gate = () => {
      leader = false;
      return Promise.resolve();
    };
    const { results } = await executor.execute(
      planOf([create(child(web, 'a')), create(child(web, 'b'))]),
      work,
    );
    expect(did(results)).toEqual(['done', 'not-leader']);
    expect(client.sent.length).toBe(1);
  });

  it('asks again after the live reads that a step rests on', async () => {
    let leader = true;
    const { client, web, executor, work } = rig({ mayWrite: () => leader });
    const a = client.put<Child>(children, child(web, 'a'));
    client.mishap = ({ verb }) => {
      if (verb === 'get') leader = false;
      return undefined;
    };
    const step = { ...remove(a), restsOn: [seenAs(pools, { name: 'b' }, undefined)] };
    const { results } = await executor.execute(planOf([step]), work);
    expect(did(results)).toEqual(['not-leader']);
    expect(client.sent.map(({ verb }) => verb)).toEqual(['get']);
  });

  it('sends nothing once it is to stop', async () => {
    const { client, web, executor, work, end } = rig();
    end.abort();
    const { results } = await executor.execute(planOf([create(child(web, 'a'))]), work);
    expect(did(results)).toEqual(['stopping']);
    expect(client.sent).toEqual([]);
  });
});

describe('whatever the network does', () => {
  it('every step has one result, at most one child per pool is made, and the bound holds', async () => {
    const fate = fc.constantFrom<Mishap>(undefined, 'lost-after', 'lost-before', forbidden);
    const property = fc.asyncProperty(
      fc.array(fate, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      async (fates, pools, requestsInFlight, slowStart) => {
        const { client, web, executor, work, cacheOf } = rig({ requestsInFlight });
        let at = 0;
        client.mishap = () => fates[at++];
        const steps = Array.from({ length: pools }, (_, index) => create(child(web, `p${index}`)));
        for (let round = 0; round < 3; round += 1) {
          await resolves(executor, work);
          const { results } = await executor.execute(planOf(steps, { slowStart }), work);
          expect(results.map((result) => result.step)).toEqual(steps);
          for (const { step, did: fateOfStep } of results) {
            if (fateOfStep !== 'done' || step.do !== 'create') continue;
            const made: KubeObject = cacheOf(step.resource)?.get(keyOf(step.object)) ?? {
              metadata: { name: '' },
            };
            expect(controllerOf(made)?.uid).toBe(web.metadata.uid);
          }
        }
        expect(client.mostOpen).toBeLessThanOrEqual(requestsInFlight);
        expect(client.open).toBe(0);
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });
});

describe('a machine that fails', () => {
  const childrenInEdge = { resource: groupResourceOf(children), namespace: 'edge' };
  /** It is given a place among the requests for children, or waits for one, and fails with what it reads. */
  const machine: Driven<'begun', never, never, never> = {
    begin: () => ({
      state: 'begun',
      commands: [
        { command: 'place', of: 0, class: childrenInEdge },
        {
          command: 'read',
          of: 'plan',
          resource: spreads as Resource<KubeObject>,
          key: { namespace: 'edge', name: 'web' },
        },
      ],
    }),
    next: (state, { event }) => {
      if (event === 'read') throw new TypeError('an object of an unforeseen shape');
      return { state, commands: [] };
    },
    carryOut: () => undefined,
    resultOf: () => undefined,
  };

  it('gives back the place that it has', async () => {
    const { web, executor, work } = rig({ requestsInFlight: 1 });
    await expect(executor.drive(machine, work)).rejects.toThrow('unforeseen shape');
    const { results } = await executor.execute(planOf([create(child(web, 'a'))]), work);
    expect(did(results)).toEqual(['done']);
  });

  it('gives back the place that it is given after it has failed', async () => {
    const { client, web, executor, work } = rig({ requestsInFlight: 1 });
    const answer = Promise.withResolvers<void>();
    client.gate = async ({ verb }) => (verb === 'get' ? Promise.resolve() : answer.promise);
    const other = executor.execute(planOf([create(child(web, 'a'))]), { ...work, key: 'edge/other' });
    await expect(executor.drive(machine, work)).rejects.toThrow('unforeseen shape');
    answer.resolve();
    expect(did((await other).results)).toEqual(['done']);
    const { results } = await executor.execute(planOf([create(child(web, 'b'))]), work);
    expect(did(results)).toEqual(['done']);
  });
});

it('knows what was refused when it was tried for a key, until the key is gone', async () => {
  const { executor, work } = rig();
  const refusedTrials = new Map([['a pod', { answer: forbidden }]]);
  await executor.drive<boolean, never, never, true>(
    {
      begin: (memory) => ({
        state: true,
        commands: [{ command: 'remember', memory: { ...memory, refusedTrials } }],
      }),
      next: (state) => ({ state, commands: [] }),
      carryOut: () => undefined,
      resultOf: () => true,
    },
    work,
  );
  expect(executor.refusedTrials(work)).toEqual(refusedTrials);
  expect(executor.refusedTrials({ ...work, key: 'edge/other' }).size).toBe(0);
  executor.forget(work);
  expect(executor.refusedTrials(work).size).toBe(0);
});
