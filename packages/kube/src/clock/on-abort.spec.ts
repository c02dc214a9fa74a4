import { expect, it } from 'vitest';
import { onAbort } from './on-abort.ts';

it('calls each listener once when the signal ends, but not those that stopped listening', () => {
  const ending = new AbortController();
  const called: string[] = [];
  const listener = (): void => void called.push('a');
  onAbort(ending.signal, listener);
  const stop = onAbort(ending.signal, listener);
  onAbort(ending.signal, () => called.push('b'));
  stop();
  stop();
  ending.abort();
  ending.abort();
  expect(called).toEqual(['a', 'b']);
});

it('a listener that makes others stop, as an end does, is no obstacle', () => {
  const ending = new AbortController();
  const called: string[] = [];
  const stops: (() => void)[] = [];
  for (const name of ['a', 'b', 'c']) {
    const stop = onAbort(ending.signal, () => {
      called.push(name);
      stops.forEach((each) => each());
    });
    if (name !== 'c') stops.push(stop);
  }
  ending.abort();
  expect(called).toEqual(['a', 'c']);
});
