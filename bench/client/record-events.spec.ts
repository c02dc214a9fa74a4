import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StreamingClient } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordEvents } from './seed.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'record-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** An API server whose watch brings these lines, and then ends or is silent. */
function recorded(lines: readonly string[], after: 'ends' | 'is silent') {
  const clock = new FakeClock();
  const shown = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  async function* body(stop: AbortSignal): AsyncGenerator<Buffer> {
    for (const line of lines) yield Buffer.from(`${line}\n`);
    shown.resolve();
    if (after === 'is silent') await once(stop, 'abort');
  }
  const client = {
    raw: async () => ({ body: Buffer.from('{"metadata":{"resourceVersion":"1"}}') }),
    watch: async (_: unknown, __: unknown, stop: AbortController) => {
      signal = stop.signal;
      return { body: body(stop.signal) };
    },
    patch: async () => ({}),
  } as unknown as StreamingClient;
  const file = join(folder, 'events');
  const bytes = recordEvents(client, 1, 2, file, clock);
  return { bytes, clock, file, shown: shown.promise, isStopped: () => signal?.aborted };
}

it('records what a watch brings until all changes are there', async () => {
  const { bytes, file, isStopped } = recorded(['one', 'two'], 'is silent');
  expect(await bytes).toBe(8);
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
  expect(isStopped()).toBe(true);
});

it('does not wait for a watch that is silent', async () => {
  const { bytes, clock, shown, isStopped } = recorded(['one'], 'is silent');
  bytes.catch(() => undefined);
  await shown;
  await clock.advance(60_000);
  await expect(bytes).rejects.toThrow('the watch brought 1 of 2 events within 60 s');
  expect(isStopped()).toBe(true);
});

it('fails where the watch ends too early, so that nobody waits for the rest', async () => {
  await expect(recorded(['one'], 'ends').bytes).rejects.toThrow('the watch ended after 1 of 2 events');
});
