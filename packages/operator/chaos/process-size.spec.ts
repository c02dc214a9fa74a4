import { describe, expect, it } from 'vitest';
import { processSize, timersIn } from './process-size.ts';

const page = (lines: readonly string[]): string =>
  ['# TYPE nodejs_active_resources gauge', ...lines, 'nodejs_active_resources_total 12', ''].join('\n');

describe('timers of a process', () => {
  it('are those that its metrics count', () => {
    const lines = [
      'nodejs_active_resources{type="TCPSocketWrap"} 8',
      'nodejs_active_resources{type="Timeout"} 4',
    ];
    expect(timersIn(page(lines))).toBe(4);
  });

  it('are none where its metrics have other resources only', () => {
    expect(timersIn(page(['nodejs_active_resources{type="TCPSocketWrap"} 12']))).toBe(0);
  });

  it('are not known from an answer without metrics of the process', () => {
    expect(timersIn('not found')).toBeUndefined();
  });
});

describe('the size of a process', () => {
  const { pid } = process;
  const program = { name: 'operator-1', pid, url: 'http://127.0.0.1:1' };

  it('has memory, files and timers', async () => {
    const size = await processSize(program, async () => Promise.resolve(page([])));
    expect(size).toEqual({
      name: 'operator-1',
      megabytes: expect.any(Number),
      files: expect.any(Number),
      timers: 0,
    });
    expect(size?.megabytes).toBeGreaterThan(0);
  });

  it('has no timers where it does not answer', async () => {
    const size = await processSize(program, async () => Promise.reject(new Error('connection refused')));
    expect(size?.timers).toBeUndefined();
    expect(size?.files).toBeGreaterThan(0);
  });

  it('is none of a program that does not run', async () => {
    expect(await processSize({ ...program, pid: undefined })).toBeUndefined();
  });
});
