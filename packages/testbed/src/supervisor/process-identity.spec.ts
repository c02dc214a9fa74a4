import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { identifyProcess, isRunning, isStopped, signalProcess } from './process-identity.ts';

describe('the identity of a process', () => {
  it('is the same while the process runs', () => {
    const identity = identifyProcess(process.pid);
    expect(identity?.pid).toBe(process.pid);
    expect(identifyProcess(process.pid)).toEqual(identity);
  });

  it('is not that of another process with the same number', () => {
    expect(isRunning({ pid: process.pid, started: 'another time' })).toBe(false);
    expect(signalProcess({ pid: process.pid, started: 'another time' }, 'SIGKILL')).toBe(false);
  });

  it('ends with the process', async () => {
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    const identity = identifyProcess(child.pid ?? 0);
    if (identity === undefined) throw new Error('a running process was not found');
    expect(isRunning(identity)).toBe(true);
    expect(signalProcess(identity, 'SIGKILL')).toBe(true);
    await once(child, 'exit');
    expect(isRunning(identity)).toBe(false);
  });
});

it('knows whether a process is stopped, and takes one that has ended for it', async () => {
  expect(isStopped(process.pid)).toBe(false);
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  expect(isStopped(pid)).toBe(false);
  child.kill('SIGSTOP');
  await expect.poll(() => isStopped(pid)).toBe(true);
  child.kill('SIGCONT');
  await expect.poll(() => isStopped(pid)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isStopped(pid)).toBe(true);
});
