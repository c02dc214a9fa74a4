import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { interruptionOf } from './interruption.ts';

function source(): EventEmitter & { readonly exits: number[]; exit(code: number): void } {
  const exits: number[] = [];
  return Object.assign(new EventEmitter(), { exits, exit: (code: number) => void exits.push(code) });
}

describe('an interruption', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('begins with %s', (name) => {
    const from = source();
    const signal = interruptionOf(from, () => 0);
    expect(signal.aborted).toBe(false);
    from.emit(name);
    expect(signal.aborted).toBe(true);
    expect(from.exits).toEqual([]);
  });

  it('takes the same Ctrl-C that arrives by two ways for one', () => {
    const from = source();
    let now = 1000;
    interruptionOf(from, () => now);
    from.emit('SIGINT');
    now += 50;
    from.emit('SIGINT');
    expect(from.exits).toEqual([]);
  });

  it('does not wait for anything after a second Ctrl-C', () => {
    const from = source();
    let now = 1000;
    interruptionOf(from, () => now);
    from.emit('SIGINT');
    now += 1000;
    from.emit('SIGINT');
    expect(from.exits).toEqual([130]);
  });
});
