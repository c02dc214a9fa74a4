import { describe, expect, test } from 'vitest';
import { ApiError } from '../client/api-error.ts';
import { FakeClock, flushTasks } from '../testing/fake-clock.ts';
import { createInformers } from '../informer/informers.ts';
import type { KubeObject } from '../objects/object.ts';
import { Outage } from './outage.ts';
import type { Resource } from '../objects/resource.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';

async function turns(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await flushTasks();
}

describe('who waits for the end of an outage', () => {
  function waiting(outage: Outage, clock: FakeClock, ms: number, signal = new AbortController().signal) {
    const ended: { by?: boolean } = {};
    void outage.wait(clock, ms, signal).then((by) => (ended.by = by));
    return ended;
  }

  test('is woken by the first who gets through, and otherwise by time', async () => {
    const [outage, clock] = [new Outage(), new FakeClock()];
    const [long, short] = [waiting(outage, clock, 30_000), waiting(outage, clock, 1_000)];
    await clock.advance(1_000);
    expect([long, short]).toEqual([{}, { by: false }]);
    outage.over();
    await turns();
    expect(long).toEqual({ by: true });
    expect(clock.pending).toBe(0);
    outage.over();
  });

  test('waits no longer when it is to end', async () => {
    const [outage, clock, stop] = [new Outage(), new FakeClock(), new AbortController()];
    const one = waiting(outage, clock, 30_000, stop.signal);
    stop.abort();
    await turns();
    const late = waiting(outage, clock, 30_000, stop.signal);
    await turns();
    expect([one, late]).toEqual([{ by: false }, { by: false }]);
    expect(clock.pending).toBe(0);
  });
});

describe('reflectors of one server', () => {
  const plurals = ['configmaps', 'pods', 'secrets', 'services'];
  const kinds = plurals.map((plural): Resource<KubeObject> => ({
    group: '',
    version: 'v1',
    kind: plural,
    plural,
    namespaced: true,
  }));
  const refusal = (code: number) =>
    new ApiError({
      fate: code === 0 ? 'unsent' : 'refused',
      code,
      reason: code === 0 ? 'NetworkError' : 'Forbidden',
      attempted: 'watch',
      message: 'no',
    });

  /** All fail for five minutes, and then nobody does; when each of them was back. Milliseconds from the end of the fault. */
  async function backAfter(code: number): Promise<readonly number[]> {
    const server = new ScriptedServer();
    let isDown = true;
    const back = new Map<string, number>();
    let upSince = 0;
    server.onWatch = (watch) => {
      if (isDown) throw refusal(code);
      if (!back.has(watch.resource.plural)) back.set(watch.resource.plural, watch.at - upSince);
    };
    let drawn = 0;
    const { clock } = server;
    const random = (): number => (drawn = (drawn + 7) % 20) / 20;
    const informers = createInformers({ client: server, clock, random });
    for (const kind of kinds) informers.informer(kind);
    const stop = new AbortController();
    const ended = informers.start(stop.signal);
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 50) {
        await clock.advance(50);
        await turns();
      }
    };
    await pass(120_000);
    isDown = false;
    upSince = clock.monotonic();
    await pass(31_000);
    stop.abort();
    await turns();
    await ended;
    return [...back.values()].toSorted((a, b) => a - b);
  }

  test('are all back when the first is', async () => {
    const times = await backAfter(0);
    expect(times).toHaveLength(kinds.length);
    expect((times.at(-1) ?? Infinity) - (times[0] ?? 0)).toBeLessThanOrEqual(350);
  });

  test('wait each for itself where each is refused', async () => {
    const times = await backAfter(403);
    expect(times).toHaveLength(kinds.length);
    expect((times.at(-1) ?? 0) - (times[0] ?? Infinity)).toBeGreaterThan(1_000);
  });
});
