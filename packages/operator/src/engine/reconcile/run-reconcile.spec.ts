import { describe, expect, it } from 'vitest';
import { ApiError, silentLogger, systemClock } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { Stored } from '@atoll/kube';
import { ModelClient } from '../../../simulation/model/model-client.ts';
import {
  children,
  createSpreadController,
  pools,
  spreads,
} from '../../../simulation/examples/one-child-per-pool.ts';
import { oneSpread } from '../../../simulation/examples/one-spread.ts';
import type { Pool, Spread } from '../../../simulation/examples/one-child-per-pool.ts';
import { Announcer } from '../announce.ts';
import { reconcileDeps } from '../engine.fixture.ts';
import { nothingToDo } from '../plan.ts';
import { endOf, requeueAt } from './reconcile-end.ts';
import type { ReconcileEnd } from './reconcile-end.ts';
import { runReconcile } from './run-reconcile.ts';
import { StatusPace } from '../status/status-pace.ts';
import type { PlannedEvent, Step } from '../step.ts';

const now = Date.UTC(2026, 0, 1);

/** One spread over pools a and b, its shipped reconciles, and everything that it records. `work`: what observing does besides. */
function rig(work: () => void = () => {}) {
  const client = new ModelClient();
  const { web, readers, cacheOf } = oneSpread(client, ['a', 'b']);
  const events: PlannedEvent[] = [];
  const counted: string[] = [];
  const recordEvent = (event: PlannedEvent): number => events.push(event);
  const clock = {
    now: () => now,
    monotonic: () => 0,
    processorMs: () => systemClock.processorMs(),
    setTimer: () => () => {},
  };
  const leads = { now: true };
  const mayWrite = (): boolean => leads.now;
  const deps = {
    ...reconcileDeps({ client, cacheOf, clock, mayWrite, recordEvent }),
    announcer: new Announcer({
      log: silentLogger,
      recordEvent,
      metrics: {
        steps: (controller, step, reason, result) =>
          counted.push(`${controller} ${step} ${reason} ${result}`),
        holds() {},
        held() {},
      },
    }),
  };
  const spread = createSpreadController(readers);
  let observed = 0;
  /** What of which observation was handed on. */
  const decisions: string[] = [];
  /** What each report was told to have become of the plan. */
  const told: string[][] = [];
  const controller: typeof spread = {
    ...spread,
    observe: (key) => {
      observed += 1;
      work();
      return spread.observe(key);
    },
    decide: () => {
      decisions.push(`decided ${observed}`);
      return observed;
    },
    plan: (snapshot, decision, at) => {
      decisions.push(`planned ${String(decision)}`);
      return spread.plan(snapshot, decision, at);
    },
    events: (_snapshot, decision) => {
      decisions.push(`recorded ${String(decision)}`);
      return [];
    },
    report: (snapshot, decision, ...how) => {
      decisions.push(`reported ${String(decision)}`);
      const [{ results }] = how;
      told.push(results.map(({ did }) => did));
      return spread.report(snapshot, decision, ...how);
    },
  };
  const pace = new StatusPace();
  const reconcile = (paced?: StatusPace): Promise<ReconcileEnd> =>
    runReconcile(controller, 'edge/web', paced === undefined ? deps : { ...deps, pace: paced });
  const reconcileWhileOthersWait = (): Promise<ReconcileEnd> =>
    runReconcile(controller, 'edge/web', { ...deps, othersWait: () => true });
  /** Milliseconds that a reconcile says to have computed. */
  const computedMs = async (): Promise<number> => {
    let total = 0;
    await runReconcile(controller, 'edge/web', { ...deps, computed: (ms) => void (total += ms) });
    return total;
  };
  const status = () => client.stored(spreads, { namespace: 'edge', name: 'web' }).status;
  return {
    client,
    leads,
    readers,
    web,
    events,
    counted,
    decisions,
    told,
    reconcile,
    reconcileWhileOthersWait,
    computedMs,
    pace,
    status,
  };
}

function quota(used: number): ApiError {
  const message = `exceeded quota: used ${used}`;
  return refusalOf(403, 'create child', message);
}

describe('a reconcile', () => {
  it('creates what is missing, sees it at once and reports it in the same reconcile', async () => {
    const { reconcile, status, counted } = rig();
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(status()).toMatchObject({ observedGeneration: 1, pools: ['a', 'b'], ready: 0 });
    expect(counted).toContain('spread create ChildCreated done');
  });

  it('decides once for each snapshot that it observed, and reports by the decision for what is there after the writes', async () => {
    const { reconcile, decisions } = rig();
    await reconcile();
    expect(decisions).toEqual(['decided 1', 'planned 1', 'recorded 1', 'decided 2', 'reported 2']);
  });

  it('decides once where it only acknowledges the spec', async () => {
    const { reconcileWhileOthersWait, decisions } = rig();
    await reconcileWhileOthersWait();
    expect(decisions).toEqual(['decided 1', 'planned 1', 'reported 1']);
  });

  it('tells a status that goes before the plan what is still to be done', async () => {
    const { reconcileWhileOthersWait, reconcile, told } = rig();
    await reconcileWhileOthersWait();
    expect(told).toEqual([['skipped', 'skipped']]);
    await reconcile();
    expect(told).toEqual([
      ['skipped', 'skipped'],
      ['done', 'done'],
    ]);
  });

  it('has computed for as long as it had the processor, and not while it waited for one', async () => {
    const waits = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    expect(await rig(waits).computedMs()).toBeLessThan(200);
    const computes = (): void => {
      const { user } = process.cpuUsage();
      while (process.cpuUsage().user - user < 100_000);
    };
    expect(await rig(computes).computedMs()).toBeGreaterThanOrEqual(100);
  });

  it('first writes that a spec was seen where other keys wait, and does the rest when it is its turn', async () => {
    const { client, reconcileWhileOthersWait, status } = rig();
    expect(await reconcileWhileOthersWait()).toEqual({ end: 'done', afterMs: 0 });
    expect(client.sent.map(({ verb }) => verb)).toEqual(['patch']);
    expect(status()).toMatchObject({ observedGeneration: 1, pools: [] });
    await reconcileWhileOthersWait();
    expect(status()).toMatchObject({ observedGeneration: 1, pools: ['a', 'b'] });
  });

  it('does not wait for a status that cannot be written where other keys wait', async () => {
    const { client, reconcileWhileOthersWait, status } = rig();
    let used = 0;
    client.mishap = ({ verb }) => (verb === 'patch' && used++ === 0 ? quota(1) : undefined);
    await reconcileWhileOthersWait();
    expect(status()).toMatchObject({ observedGeneration: 1, pools: ['a', 'b'] });
  });

  it('is silent when all is as desired', async () => {
    const { client, reconcile } = rig();
    await reconcile();
    const { length } = client.sent;
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(client.sent.length).toBe(length);
  });

  it('holds back a status that moves, and returns when it is due', async () => {
    const { client, readers, reconcile, pace, status } = rig();
    await reconcile(pace);
    readers.pools.wrote(client.put<Pool>(pools, { metadata: { name: 'c' }, spec: { on: true } }));
    const again = await reconcile(pace);
    expect(client.sent.at(-1)?.verb).toBe('create-by-apply');
    expect(status()).toMatchObject({ pools: ['a', 'b'] });
    expect(again).toMatchObject({ end: 'done', afterMs: expect.any(Number) as number });
    expect(await reconcile(new StatusPace())).toEqual({ end: 'done' });
    expect(status()).toMatchObject({ pools: ['a', 'b', 'c'] });
  });

  it('writes only what changed of the status, with uid and resourceVersion', async () => {
    const { client, web, reconcile } = rig();
    await reconcile();
    const { uid, resourceVersion } = web.metadata;
    expect(client.sent.at(-1)).toMatchObject({
      verb: 'patch',
      subresource: 'status',
      patch: { type: 'merge', body: { metadata: { uid, resourceVersion }, status: { pools: ['a', 'b'] } } },
    });
  });

  it('asks for another try after a refusal, and reports it once while it stays the same', async () => {
    const { client, reconcile, status, events } = rig();
    let used = 0;
    client.mishap = (request) =>
      'object' in request && request.object.metadata.labels?.['pool'] === 'a'
        ? quota((used += 1))
        : undefined;
    for (let round = 0; round < 3; round += 1) expect(await reconcile()).toMatchObject({ end: 'refused' });
    expect(status()).toMatchObject({ pools: ['b'], refused: ['a'] });
    expect(events).toEqual([
      expect.objectContaining({
        type: 'Warning',
        reason: 'ChildRefused',
        action: 'Create',
        note: 'create child: exceeded quota: used 1',
      }),
    ]);
    client.mishap = () => undefined;
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(events.length).toBe(1);
  });

  it('reports another failure of the same step', async () => {
    const { client, reconcile, events } = rig();
    let cause = 'no image';
    client.mishap = (request) => ('object' in request ? refusalOf(422, 'create', cause) : undefined);
    await reconcile();
    const before = events.length;
    cause = 'no command';
    await reconcile();
    await reconcile();
    expect(events.slice(before).map(({ note }) => note)).toEqual(
      events.slice(0, before).map(() => 'create: no command'),
    );
  });

  it('waits as long as the server asks', async () => {
    const { client, reconcile } = rig();
    client.mishap = () =>
      new ApiError({
        fate: 'refused',
        code: 429,
        reason: 'TooManyRequests',
        attempted: 'create',
        message: 'slow down',
        retryAfterMs: 7_000,
      });
    expect(await reconcile()).toMatchObject({ end: 'retry', afterMs: 7_000 });
  });

  it('plans nothing while a write is in doubt', async () => {
    const { client, reconcile } = rig();
    client.mishap = (request) => (request.verb === 'get' ? 'lost-before' : 'lost-after');
    await reconcile();
    const writes = (): number => client.sent.filter(({ verb }) => verb !== 'get').length;
    const before = writes();
    expect(await reconcile()).toMatchObject({
      end: 'retry',
      because: 'a write is in doubt and its object cannot be read',
    });
    expect(writes()).toBe(before);
    client.mishap = () => undefined;
    expect(await reconcile()).toEqual({ end: 'done' });
  });

  it('reads a write back no more once it is known what became of it', async () => {
    const { client, reconcile } = rig();
    client.mishap = (request) => (request.verb === 'get' ? 'lost-before' : 'lost-after');
    await reconcile();
    client.mishap = () => undefined;
    expect(await reconcile()).toEqual({ end: 'done' });
    client.sent.length = 0;
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(client.sent).toEqual([]);
  });

  it('reports nothing of a plan whose spec has changed meanwhile', async () => {
    const { client, readers, web, reconcile, status } = rig();
    client.gate = () => {
      const metadata = { ...web.metadata, generation: 2, resourceVersion: '99' };
      readers.spreads.wrote({ ...web, metadata, spec: { version: 2 } } as Stored<Spread>);
      return Promise.resolve();
    };
    expect(await reconcile()).toMatchObject({
      end: 'retry',
      because: 'the spec changed while the plan was executed',
    });
    expect(status()).toBeUndefined();
  });

  it('is requeued when its status write was overtaken, from what is there by then, and blames nobody', async () => {
    const { client, web, reconcile, events, status } = rig();
    client.gate = ({ verb }) => {
      if (verb !== 'patch') return Promise.resolve();
      client.gate = () => Promise.resolve();
      client.put(spreads, { ...web, spec: { version: 1 } });
      return Promise.resolve();
    };
    expect(await reconcile()).toMatchObject({ end: 'retry', because: 'the world moved meanwhile' });
    expect(events).toEqual([]);
    // No event of the stream has shown it.
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(status()).toMatchObject({ pools: ['a', 'b'] });
  });

  it('changes nothing for a spec that its stream has not brought, and acts on the new one next', async () => {
    const { client, web, reconcile } = rig();
    const key = { namespace: 'edge', name: 'web' };
    const version = () => client.stored(children, { namespace: 'edge', name: 'web-a' }).spec.version;
    await client.patch(spreads, key, { type: 'merge', body: { spec: { version: 2 } } });
    client.sent.length = 0;
    expect(await reconcile()).toMatchObject({ end: 'retry' });
    expect(client.sent.map(({ verb }) => verb)).toEqual(['get']);
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(version()).toBe(2);
    expect(client.stored(spreads, key).metadata.uid).toBe(web.metadata.uid);
  });

  it('comes back to what it did not begin while its lease was not renewed', async () => {
    const { client, reconcile, leads, status } = rig();
    leads.now = false;
    expect(await reconcile()).toMatchObject({ end: 'retry', because: 'the lease was not renewed lately' });
    expect(client.sent).toEqual([]);
    leads.now = true;
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(status()).toMatchObject({ pools: ['a', 'b'] });
  });

  it('has nothing to do for an object that is gone', async () => {
    const { readers, web, reconcile, client } = rig();
    readers.spreads.wroteDeletion({ namespace: 'edge', name: 'web' }, web.metadata.uid);
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(client.sent).toEqual([]);
  });
});

describe('when to requeue', () => {
  const hold = {
    reason: 'ChildRefused',
    waitsFor: 'quota',
    targets: [],
    count: 0,
    waitingUntil: 'x',
    bad: false,
  } as const;
  const table: readonly (readonly [string, Parameters<typeof requeueAt>[0], number | undefined])[] = [
    ['never, where nothing waits', nothingToDo, undefined],
    ['when the plan says', { ...nothingToDo, requeueAt: now + 500 }, now + 500],
    ['now, where that moment has passed meanwhile', { ...nothingToDo, requeueAt: now - 1 }, now],
    [
      'when a hold ends',
      { ...nothingToDo, holds: [{ ...hold, until: now + 9 }], requeueAt: now + 500 },
      now + 9,
    ],
    [
      'when a bad hold has lasted a minute',
      { ...nothingToDo, holds: [{ ...hold, bad: true, since: now - 1 }] },
      now + 59_999,
    ],
    ['not for a hold that is over', { ...nothingToDo, holds: [{ ...hold, until: now - 9 }] }, undefined],
  ];
  it.each(table)('%s', (_, plan, at) => {
    expect(requeueAt(plan, now)).toBe(at);
  });
});

describe('a plan that goes on at once', () => {
  const plan = { ...nothingToDo, requeueAt: now };
  const step: Step = {
    do: 'create',
    why: { word: 'ChildCreated', message: 'because' },
    resource: children,
    object: { metadata: { namespace: 'edge', name: 'web-a' } },
    managed: 'apply',
  };
  const error = refusalOf(403, 'x', 'quota');
  const refused = { step, did: 'failed', error, heldBack: true } as const;

  it('waits for the retry where all that it writes is refused', () => {
    expect(endOf({ results: [refused] }, plan, now)).toEqual({ end: 'refused', because: 'x: quota' });
  });

  it('goes on where something was written', () => {
    const results = [refused, { step, did: 'done' }] as const;
    expect(endOf({ results }, plan, now)).toEqual({ end: 'refused', because: 'x: quota', afterMs: 0 });
  });
});
