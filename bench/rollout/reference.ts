import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tell } from '../tell.ts';

/** What the reference work took, once. */
export interface ReferenceTime {
  /** Of the processor. */
  readonly cpuMs: number;
  /** By the clock; much more than of the processor where other work had the processors. */
  readonly elapsedMs: number;
}

/** What the machine was like around something that was measured. Nothing is scaled by it. */
export interface Reference {
  readonly before: ReferenceTime;
  readonly after: ReferenceTime;
}

const script = join(import.meta.dirname, 'reference-child.ts');

/** Does the reference work directly before and after, each time in a process of its own. */
export async function besideReference<Result>(
  what: string,
  work: () => Promise<Result>,
): Promise<readonly [Result, Reference]> {
  const before = await measureReference();
  tell(`${what}: the reference work takes ${inWords(before)}`);
  const result = await work();
  const after = await measureReference();
  tell(`${what}: the reference work takes ${inWords(after)} afterwards, ${before.cpuMs} ms before`);
  return [result, { before, after }];
}

/** One line for people: run by run, in the order of the runs. */
export function referenceLine(references: readonly Reference[]): string {
  const list = (msOf: (reference: Reference) => number): string => `${references.map(msOf).join(', ')} ms`;
  const before = list(({ before: { cpuMs } }) => cpuMs);
  const after = list(({ after: { cpuMs } }) => cpuMs);
  const elapsedBefore = list(({ before: { elapsedMs } }) => elapsedMs);
  const elapsedAfter = list(({ after: { elapsedMs } }) => elapsedMs);
  const order = references.length > 1 ? ', run by run' : '';
  return (
    `the reference work took ${before} before and ${after} after ` +
    `(processor time${order}; by the clock ${elapsedBefore} and ${elapsedAfter})`
  );
}

async function measureReference(): Promise<ReferenceTime> {
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 60_000 });
  return JSON.parse(stdout) as ReferenceTime;
}

function inWords({ cpuMs, elapsedMs }: ReferenceTime): string {
  return `${cpuMs} ms of the processor (${elapsedMs} ms by the clock)`;
}
