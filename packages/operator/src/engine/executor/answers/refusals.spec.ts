import { describe, expect, it } from 'vitest';
import { ApiError, silentLogger } from '@atoll/kube';
import { FakeClock, flushTasks } from '@atoll/kube/testing';
import type { CacheEvent, InformerListener, KubeObject } from '@atoll/kube';
import { ModelClient } from '../../../../simulation/model/model-client.ts';
import { children, createSpreadController } from '../../../../simulation/examples/one-child-per-pool.ts';
import { oneSpread } from '../../../../simulation/examples/one-spread.ts';
import { source } from '../../controller.ts';
import { reconcileDeps } from '../../engine.fixture.ts';
import { startController } from '../../reconcile/start-controller.ts';
import { isLasting, Refusals } from './refusals.ts';
import type { PlannedEvent, Step, StepResult } from '../../step.ts';

const second = 1_000;
const minute = 60 * second;

/** How a server refuses a write, and one that may pass by itself. */
function refusal(code: number, reason: string): ApiError {
  return new ApiError({ fate: 'refused', code, reason, attempted: 'create child', message: reason });
}
const quota = refusal(403, 'Forbidden');
const createChild: Step = {
  do: 'create',
  why: { word: 'ChildCreated', message: 'because' },
  resource: children,
  object: { metadata: { namespace: 'edge', name: 'web-a' } },
  managed: 'apply',
};

it.each([
  ['a quota', quota, true],
  ['too many requests', refusal(429, 'TooManyRequests'), false],
  ['a conflict', refusal(409, 'Conflict'), false],
])('%s lasts until something changes, or passes', (_title, error, lasts) => {
  expect(isLasting(error)).toBe(lasts);
});

/** A spread over pools a and b, of which the server refuses the child in a, with a clock that only the test moves. */
async function rig(names: readonly string[] = ['a', 'b'], refused: readonly string[] = ['a']) {
  const clock = new FakeClock();
  const client = new ModelClient();
  const { web, readers, cacheOf } = oneSpread(client, names);
  /** The times at which the child in a refused pool was sent. */
  const tries: number[] = [];
  const server: { answer: ApiError | undefined } = { answer: quota };
  client.mishap = (request) => {
    const pool = 'object' in request ? request.object.metadata.labels?.['pool'] : undefined;
    if (pool === undefined || !refused.includes(pool)) return undefined;
    tries.push(clock.monotonic());
    return server.answer;
  };
  const events: PlannedEvent[] = [];
  const recordEvent = (event: PlannedEvent): number => events.push(event);
  const listeners = new Map<string, InformerListener<KubeObject>>();
  const keys = () => ['edge/web'];
  startController(
    {
      ...createSpreadController(readers),
      sources: [
        source(readers.spreads, keys),
        source(readers.children, keys, 'deferred', ({ type }) => type === 'deleted'),
      ],
    },
    {
      ...reconcileDeps({ client, cacheOf, clock, recordEvent }),
      logger: silentLogger,
      workers: 1,
      informerOf: ({ resource }) => ({
        subscribe: (listener) => {
          listeners.set(resource.plural, listener);
          return () => undefined;
        },
        onPresence: () => () => undefined,
      }),
    },
    new AbortController().signal,
  );
  const deliver = async (plural: string, event: CacheEvent<KubeObject>): Promise<void> => {
    listeners.get(plural)?.([event]);
    for (let turn = 0; turn < 8; turn += 1) await flushTasks();
  };
  const object = web as CacheEvent<KubeObject>['object'];
  const generation = (object.metadata.generation ?? 0) + 1;
  const editedOne = { ...object, metadata: { ...object.metadata, generation } };
  const childIn = (pool: string) =>
    readers.children.list().find(({ metadata }) => metadata.labels?.['pool'] === pool);
  const isWhole = () => readers.children.list().length === names.length;
  await deliver('spreads', { type: 'added', object });
  return {
    clock,
    client,
    tries,
    events,
    isWhole,
    uidOf: (pool: string) => childIn(pool)?.metadata.uid,
    allow: () => (server.answer = undefined),
    answer: (error: ApiError) => (server.answer = error),
    /** Somebody edits the object. */
    edited: async () => deliver('spreads', { type: 'updated', old: object, object: editedOne }),
    /** The watch brings what we wrote to the object ourselves. */
    echoed: async () => deliver('spreads', { type: 'updated', old: object, object, echo: true }),
    /** The same, where the edit had been read live before. */
    editedAsEcho: async () =>
      deliver('spreads', { type: 'updated', old: object, object: editedOne, echo: true }),
    /** What a child counts moves. */
    counted: async () => deliver('children', { type: 'updated', old: object, object }),
    /** Somebody deletes the child of this pool, and what is heard of it is no reason to try again what is refused. */
    lose: async (pool: string) => {
      const child = childIn(pool);
      if (child === undefined) throw new Error(`${pool} has no child`);
      const { name, namespace = '', uid } = child.metadata;
      await client.delete(children, { name, namespace }, { uid });
      readers.children.wroteDeletion({ name, namespace }, uid);
      await deliver('children', { type: 'updated', old: object, object });
    },
    childGone: async () => deliver('children', { type: 'deleted', object }),
  };
}

/** The most of these that lie within ten seconds. */
function mostInTenSeconds(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 10 * second).length));
}

describe('a child that the server refuses', () => {
  it.each([1, 3, 10])(
    'for %d minutes is tried once in ten seconds at most while other children move, and is there within 35 s after',
    async (minutes) => {
      const { clock, client, tries, counted, allow, isWhole } = await rig();
      const countWrites = (): number => client.sent.filter(({ verb }) => verb !== 'get').length;
      const writes = countWrites();
      while (clock.monotonic() < minutes * minute) {
        await counted();
        await clock.advance(700);
      }
      // The first retry comes after a second, because some refusals pass; then there are ten seconds between any two.
      const settled = tries.filter((at) => at >= second);
      expect(mostInTenSeconds(settled)).toBe(1);
      expect(tries.length).toBeLessThanOrEqual(minutes * 6);
      expect(countWrites() - writes).toBe(tries.length - 1);
      expect(isWhole()).toBe(false);
      allow();
      await clock.advance(35 * second);
      expect(isWhole()).toBe(true);
    },
  );

  it('is reported once', async () => {
    const { clock, counted, events } = await rig();
    for (let round = 0; round < 100; round += 1) {
      await counted();
      await clock.advance(second);
    }
    expect(events.map(({ reason }) => reason)).toEqual(['ChildRefused']);
  });

  it.each(['edited', 'childGone'] as const)('is tried at once when something changes: %s', async (change) => {
    const made = await rig();
    await made.clock.advance(60 * second);
    const before = made.tries.length;
    await made[change]();
    await made.clock.advance(600);
    expect(made.tries).toHaveLength(before + 1);
  });

  it.each(['echoed', 'counted'] as const)(
    'is not tried at once by what changes nothing: %s',
    async (change) => {
      const made = await rig();
      await made.clock.advance(60 * second);
      const before = made.tries.length;
      await made[change]();
      await made.clock.advance(600);
      expect(made.tries).toHaveLength(before);
    },
  );

  it('has its next retry when it was due, however often a change had it tried meanwhile', async () => {
    const { clock, tries, edited } = await rig();
    await clock.advance(11 * second);
    for (let edit = 0; edit < 20; edit += 1) {
      await clock.advance(second);
      await edited();
    }
    tries.splice(0);
    await clock.advance(60 * second);
    expect(tries).toEqual([41 * second, 71 * second]);
  });

  it('is tried at once where its retry became due during a reconcile that held it back', () => {
    const refusals = new Refusals();
    const sent: StepResult = { step: createChild, did: 'failed', error: quota };
    refusals.heldBack('edge/web', 0);
    expect(refusals.ended('edge/web', [sent], 0)).toBe(second);
    expect(refusals.heldBack('edge/web', second - 1)?.size).toBe(1);
    expect(refusals.ended('edge/web', [{ ...sent, heldBack: true }], second + 1)).toBe(0);
    expect(refusals.heldBack('edge/web', second + 1)).toBeUndefined();
    expect(refusals.ended('edge/web', [sent], second + 2)).toBe(10 * second);
  });

  it('is tried at once where its retry became due meanwhile, also beside another that was refused just now', () => {
    const refusals = new Refusals();
    const createOther: Step = { ...createChild, object: { metadata: { namespace: 'edge', name: 'web-b' } } };
    refusals.ended('edge/web', [{ step: createChild, did: 'failed', error: quota }], 0);
    expect(refusals.heldBack('edge/web', second - 1)?.size).toBe(1);
    const results: readonly StepResult[] = [
      { step: createChild, did: 'failed', error: quota, heldBack: true },
      { step: createOther, did: 'failed', error: quota },
    ];
    expect(refusals.ended('edge/web', results, second + 1)).toBe(0);
    expect(refusals.heldBack('edge/web', second + 1)).toBeUndefined();
  });

  it('stays refused where the next plan was not sent at all', () => {
    const refusals = new Refusals();
    refusals.ended('edge/web', [{ step: createChild, did: 'failed', error: quota }], 0);
    const skipped: StepResult = { step: createChild, did: 'skipped', because: 'plan-outdated' };
    expect(refusals.ended('edge/web', [skipped], 200)).toBe(second - 200);
    expect(refusals.heldBack('edge/web', 500)?.size).toBe(1);
  });

  it('is sent at once after a change, even if the plan of the first reconcile was not sent at all', () => {
    const refusals = new Refusals();
    refusals.ended('edge/web', [{ step: createChild, did: 'failed', error: quota }], 0);
    refusals.changed('edge/web');
    expect(refusals.heldBack('edge/web', 200)).toBeUndefined();
    refusals.ended('edge/web', [{ step: createChild, did: 'skipped', because: 'plan-outdated' }], 200);
    expect(refusals.heldBack('edge/web', 210)).toBeUndefined();
    refusals.ended('edge/web', [{ step: createChild, did: 'failed', error: quota }], 220);
    expect(refusals.heldBack('edge/web', 230)?.size).toBe(1);
  });

  it('is not sent again and again after a change while an earlier stage is refused', () => {
    const refusals = new Refusals();
    const createOther: Step = { ...createChild, object: { metadata: { namespace: 'edge', name: 'web-b' } } };
    refusals.ended('edge/web', [{ step: createChild, did: 'failed', error: quota }], 0);
    refusals.changed('edge/web');
    refusals.heldBack('edge/web', 200);
    const results: readonly StepResult[] = [
      { step: createOther, did: 'failed', error: quota },
      { step: createChild, did: 'skipped', because: 'earlier-stage-failed' },
    ];
    refusals.ended('edge/web', results, 200);
    expect(refusals.heldBack('edge/web', 210)?.size).toBe(2);
  });

  it('is sent at once after an edit that was read live before the watch brought it', async () => {
    const made = await rig();
    await made.clock.advance(60 * second);
    const before = made.tries.length;
    await made.editedAsEcho();
    await made.clock.advance(600);
    expect(made.tries).toHaveLength(before + 1);
  });

  it('ends its stage again where it ended it, so that no others are refused in its place', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `p${index + 10}`);
    const { clock, tries, counted } = await rig(names, names);
    expect(tries).toHaveLength(10);
    await clock.advance(second);
    expect(tries).toHaveLength(20);
    for (let round = 0; round < 12; round += 1) {
      await counted();
      await clock.advance(700);
    }
    expect(tries).toHaveLength(20);
  });

  it('keeps no new one waiting that comes beside ten others, however often, and nothing else is sent', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `p${index + 10}`);
    const { clock, tries, lose, uidOf } = await rig([...names, 'good'], names);
    await clock.advance(12 * second);
    expect(uidOf('good')).toBeDefined();
    tries.splice(0);
    for (let round = 0; round < 3; round += 1) {
      const before = uidOf('good');
      await lose('good');
      await clock.advance(700);
      expect(uidOf('good')).toBeDefined();
      expect(uidOf('good')).not.toBe(before);
    }
    expect(tries).toEqual([]);
  });

  it('by a conflict, which passes by itself, is tried again soon', async () => {
    const { clock, tries, answer, edited } = await rig();
    answer(refusal(409, 'Conflict'));
    await edited();
    tries.splice(0);
    await clock.advance(second);
    expect(tries.length).toBeGreaterThan(3);
  });
});
