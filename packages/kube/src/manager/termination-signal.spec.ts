import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { silentLogger } from '../telemetry/logger.ts';
import { terminationSignal } from './termination-signal.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

test.each([
  ['SIGINT', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGTERM', 'SIGINT', 130],
])('%s asks for a graceful end, and then %s ends at once with code %d', (first, second, code) => {
  const process = new FakeProcess();
  const signal = terminationSignal(process, silentLogger);
  expect(signal.aborted).toBe(false);
  process.emit(first);
  expect(signal.aborted).toBe(true);
  expect(process.exits).toEqual([]);
  process.emit(second);
  expect(process.exits).toEqual([code]);
});
