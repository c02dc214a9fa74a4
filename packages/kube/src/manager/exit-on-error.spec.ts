import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { exitOnError } from './exit-on-error.ts';

class FakeProcess extends EventEmitter {
  readonly did: string[] = [];
  readonly stderr = { write: (text: string) => this.did.push(text) };
  exit(code: number): void {
    this.did.push(`exit ${code}`);
  }
}

function after(error: unknown): readonly string[] {
  const process = new FakeProcess();
  exitOnError(process, 'website');
  process.emit('uncaughtException', error);
  return process.did;
}

test('an error that nobody catches is one line, and the exit code is 1', () => {
  expect(after(new Error('no kubeconfig: /nowhere'))).toEqual([
    'website: no kubeconfig: /nowhere\n',
    'exit 1',
  ]);
  expect(after('a text')).toEqual(['website: a text\n', 'exit 1']);
});

test('a defect keeps its stack', () => {
  const [text = ''] = after(new TypeError('x is not a function'));
  expect(text).toMatch(/^website: TypeError: x is not a function\n +at /);
});
