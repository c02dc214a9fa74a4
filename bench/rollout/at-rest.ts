import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEntry } from '@atoll/testbed';
import { progress } from '../progress.ts';
import { patienceMs, type Bench } from './bench.ts';
import type { Rest } from './measurement.ts';
import type { OperatorProcess } from './operator-process.ts';

/**
 * How long the operator must have written nothing before nothing at all is expected of it: the status of a thousand
 * pools is written at most every 15 s while it moves, so what the last change meant for it may come that much later.
 */
const settledMs = 20_000;

/** What is done while nothing happens. Names whatever is written. */
export async function atRest({ writes, pace, restSeconds }: Bench, operator: OperatorProcess): Promise<Rest> {
  await writes.silence(settledMs, patienceMs);
  progress(`nothing happens for ${restSeconds} s`);
  const [mark, cpuBefore, spanOf] = [await writes.now(), operator.cpuMs, pace.begin()];
  await delay(restSeconds * 1000);
  const cpu = spanOf(operator.cpuMs - cpuBefore);
  const written = await writes.since(mark);
  for (const entry of written) progress(`written at rest, ${nameOfWrite(entry)}`);
  progress(`at rest: ${written.length} writes, ${cpu.ms} ms of the processor`);
  return { seconds: restSeconds, writes: written.length, cpu };
}

type Write = Pick<AuditEntry, 'verb' | 'resource' | 'subresource' | 'namespace' | 'name' | 'receivedAt'>;

export function nameOfWrite({ verb, resource, subresource, namespace, name, receivedAt }: Write): string {
  const what = [resource, subresource].filter((part) => part !== undefined).join('/');
  const which = [namespace, name].filter((part) => part !== undefined).join('/');
  return `at ${new Date(receivedAt).toISOString()}: ${verb} ${what} ${which}`.trimEnd();
}
