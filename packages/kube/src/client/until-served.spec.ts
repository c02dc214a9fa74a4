import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { ApiError } from './api-error.ts';
import type { Client } from './client.ts';
import { untilServed, type UntilServedOptions } from './until-served.ts';

type Get = (name: string, signal: AbortSignal | undefined) => Promise<object>;

/** Definitions as `get` answers them, and how it ended, as soon as it has. */
function waiting(get: Get, options: UntilServedOptions = {}, names = ['a.example.dev', 'b.example.dev']) {
  const clock = new FakeClock();
  const client = {
    get: async (_: unknown, key: { readonly name: string }, { signal }: { signal?: AbortSignal } = {}) =>
      get(key.name, signal),
  } as unknown as Pick<Client, 'get'>;
  const state = { end: 'waits' };
  void untilServed(client, names, { clock, ...options }).then(
    () => (state.end = 'served'),
    (error: unknown) => (state.end = error instanceof Error ? error.message : String(error)),
  );
  return { clock, state };
}

function definition(status: 'True' | 'False') {
  return { metadata: {}, status: { conditions: [{ type: 'Established', status }] } };
}

const never = async (): Promise<never> => new Promise<never>(() => undefined);

/** As the client does where its signal ends. */
const untilAborted: Get = async (_, signal) =>
  new Promise((_resolve, reject) => {
    const init = {
      fate: 'in-doubt',
      code: 0,
      reason: 'Aborted',
      message: 'gave up',
      attempted: 'get',
    } as const;
    signal?.addEventListener('abort', () => reject(new ApiError(init)), { once: true });
  });

describe('waiting for kinds', () => {
  it('ends when all are served', async () => {
    const established = new Set(['a.example.dev']);
    const { clock, state } = waiting(async (name) => definition(established.has(name) ? 'True' : 'False'));
    await clock.advance(20_000);
    expect(state.end).toBe('waits');
    established.add('b.example.dev');
    await clock.advance(50);
    expect(state.end).toBe('served');
  });

  it('names those that are not served in time, and why', async () => {
    const { clock, state } = waiting(async (name) => {
      if (name.startsWith('a.')) return definition('False');
      const init = {
        fate: 'refused',
        code: 404,
        reason: 'NotFound',
        message: 'no',
        attempted: 'get',
      } as const;
      throw new ApiError(init);
    });
    await clock.advance(30_050);
    expect(state.end).toBe(
      'The API server does not serve these kinds after 30000 ms: a.example.dev: not established yet; b.example.dev: not established yet',
    );
  });

  it('takes no longer where the API server does not answer', async () => {
    const { clock, state } = waiting(never, { timeoutMs: 5_000 });
    await clock.advance(6_000);
    expect(state.end).toBe(
      'The API server does not serve these kinds after 5000 ms: a.example.dev: the API server does not answer; b.example.dev: the API server does not answer',
    );
  });

  it.each([
    ['while it looks again', async () => definition('False')],
    ['while it is asked for', untilAborted],
    ['while it is asked for, by a client that does not heed it', never],
  ])('ends with the reason of its signal, %s', async (_, get: Get) => {
    const stop = new AbortController();
    const { clock, state } = waiting(get, { signal: stop.signal });
    await clock.advance(1_010);
    stop.abort(new Error('received SIGTERM'));
    await clock.advance(0);
    expect(state.end).toBe('received SIGTERM');
  });
});
