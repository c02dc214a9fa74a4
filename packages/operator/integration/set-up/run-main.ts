import { execFile } from 'node:child_process';
import { operatorScript } from './operator-control-plane.ts';

export interface Ended {
  readonly code: number | string;
  /** Standard error without the log's lines of JSON: what a person reads. */
  readonly lines: readonly string[];
  readonly out: string;
}

/** Runs the operator until it ends by itself; gives up after three minutes. Nothing of our environment reaches it. */
export async function runMain(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const options = {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment },
    timeout: 180_000,
  };
  const child = execFile(process.execPath, [operatorScript, ...args], options, (_, out, err) => {
    const lines = err.split('\n').filter((line) => line !== '' && !line.startsWith('{"'));
    resolve({ code: child.exitCode ?? child.signalCode ?? 'unknown', lines, out });
  });
  return promise;
}
