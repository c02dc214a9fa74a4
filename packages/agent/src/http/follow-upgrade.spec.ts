import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { FakeClock } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { UpgradeStreams } from './follow-upgrade.ts';

/** As behind another answer on its connection: what it has ended is not through, so that it does not close. */
class HeldResponse extends EventEmitter {
  writableEnded = false;
  readonly written: string[] = [];

  writeHead(): void {
    if (this.written.length > 0) throw new Error('headers after what they belong to');
  }

  write(text: string): void {
    if (this.writableEnded) throw new Error('write after end');
    this.written.push(text);
  }

  end(): void {
    this.writableEnded = true;
  }
}

/** What is written within some times of 15 s to who follows an upgrade that stays in that state. */
async function writtenWithin(beats: number, state: 'none' | 'waiting'): Promise<readonly string[]> {
  const clock = new FakeClock();
  const streams = new UpgradeStreams(clock, () => () => undefined);
  const response = new HeldResponse();
  streams.follow(response as unknown as ServerResponse, 'anyone 127.0.0.1', () => ({ state }));
  for (let beat = 0; beat < beats; beat += 1) await clock.advance(15_000);
  return response.written;
}

it('begins with its headers where its listener is called immediately', () => {
  const streams = new UpgradeStreams(new FakeClock(), (listener) => {
    listener();
    return () => undefined;
  });
  const response = new HeldResponse();
  streams.follow(response as unknown as ServerResponse, 'anyone 127.0.0.1', () => ({ state: 'waiting' }));
  expect(response.written).toHaveLength(1);
});

it('writes nothing into a stream that has ended and is not through', async () => {
  expect(await writtenWithin(3, 'none')).toEqual(['event: status\ndata: {"state":"none"}\n\n']);
});

it('shows every 15 s that a stream that waits lives', async () => {
  const written = await writtenWithin(2, 'waiting');
  expect(written.slice(1)).toEqual([': alive\n\n', ': alive\n\n']);
});

describe('where sixteen streams are open', () => {
  /** Opens one for each caller named, in order; what they write is still held. */
  function opened(...callers: readonly string[]) {
    const listeners = new Set<() => void>();
    const clock = new FakeClock();
    const streams = new UpgradeStreams(clock, (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    });
    const responses = callers.map((caller) => {
      const response = new HeldResponse();
      streams.follow(response as unknown as ServerResponse, caller, () => ({ state: 'waiting' }));
      return response;
    });
    const ended = responses.flatMap(({ writableEnded }, index) => (writableEnded ? [index] : []));
    return { clock, responses, ended, listeners };
  }
  const sixteen = Array.from({ length: 16 }, () => 'one');

  it('another caller is shown the state, and the oldest of the caller with the most is ended', async () => {
    const { clock, responses, ended, listeners } = opened(...sixteen, 'other');
    expect(ended).toEqual([0]);
    expect(responses.at(-1)?.written).toHaveLength(1);
    expect(listeners.size).toBe(16);
    // One that is ended is written no more.
    await clock.advance(15_000);
    expect(responses[0]?.written).toHaveLength(1);
  });

  it('who opens more and more ends its own', () => {
    expect(opened('other', ...sixteen, ...sixteen).ended).toEqual(
      Array.from({ length: 17 }, (_, i) => i + 1),
    );
  });

  it('and each is of another caller, the oldest is ended', () => {
    expect(opened(...sixteen.map((caller, index) => `${caller} ${index}`), 'last').ended).toEqual([0]);
  });
});
