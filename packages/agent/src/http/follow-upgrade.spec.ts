import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { FakeClock } from '@atoll/kube/testing';
import { expect, it } from 'vitest';
import { UpgradeStreams } from './follow-upgrade.ts';

/** As behind another answer on its connection: what it has ended is not through, so that it does not close. */
class HeldResponse extends EventEmitter {
  writableEnded = false;
  readonly written: string[] = [];

  writeHead(): void {}

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
  streams.follow(response as unknown as ServerResponse, () => ({ state }));
  for (let beat = 0; beat < beats; beat += 1) await clock.advance(15_000);
  return response.written;
}

it('writes nothing into a stream that has ended and is not through', async () => {
  expect(await writtenWithin(3, 'none')).toEqual(['event: status\ndata: {"state":"none"}\n\n']);
});

it('shows every 15 s that a stream that waits lives', async () => {
  const written = await writtenWithin(2, 'waiting');
  expect(written.slice(1)).toEqual([': alive\n\n', ': alive\n\n']);
});
