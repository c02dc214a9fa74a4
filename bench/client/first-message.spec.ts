import { EventEmitter } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { FakeClock } from '@atoll/kube/testing';
import { expect, it } from 'vitest';
import { firstMessage } from './first-message.ts';

function started() {
  const killed: unknown[] = [];
  const child = new EventEmitter() as ChildProcess;
  child.kill = (signal) => killed.push(signal) > 0;
  const clock = new FakeClock();
  return { child, killed, clock, message: firstMessage(child, 'the server', clock) };
}

it('is what a child sends first', async () => {
  const { child, message } = started();
  child.emit('message', { port: 1 });
  expect(await message).toEqual({ port: 1 });
});

it('is not waited for longer than a minute, and the child is killed', async () => {
  const { clock, killed, message } = started();
  message.catch(() => undefined);
  await clock.advance(60_000);
  await expect(message).rejects.toThrow('the server was not ready within 60 s');
  expect(killed).toEqual(['SIGKILL']);
});

it('is not waited for where the child ends', async () => {
  const { child, message } = started();
  child.emit('exit', 1);
  await expect(message).rejects.toThrow('the server ended with 1');
});
