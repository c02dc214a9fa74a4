import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { confirm } from './confirm.ts';

function ask() {
  const input = new PassThrough();
  const output = new PassThrough();
  const abort = new AbortController();
  const answer = confirm('Do that? [y/N] ', { input, output, signal: abort.signal });
  return { input, output, abort, answer };
}

describe('a person who is asked', () => {
  it.each([
    ['y\n', true],
    ['Yes\n', true],
    ['n\n', false],
    ['\n', false],
    ['yeah, but not now\n', false],
  ])('answers %j: %s', async (line, expected) => {
    const { input, output, answer } = ask();
    input.write(line);
    expect(await answer).toBe(expected);
    output.end();
    expect(await text(output)).toBe('Do that? [y/N] ');
  });

  it('has not said yes where the input ends', async () => {
    const { input, answer } = ask();
    input.end();
    expect(await answer).toBe(false);
  });

  it('need not answer when everything is to end', async () => {
    const { abort, answer } = ask();
    abort.abort();
    await expect(answer).rejects.toThrow('abort');
  });
});
