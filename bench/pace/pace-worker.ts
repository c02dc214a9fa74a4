import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import type { PaceSample } from './pace.ts';
import { referenceRounds, referenceWork } from './reference-work.ts';

/** Some milliseconds of one processor, four times a second: a fiftieth of it. */
const rounds = 40;
const everyMs = 250;

// Compiled code is as fast as it becomes after that.
for (let warm = 0; warm < 60; warm++) referenceWork(rounds);
for (;;) {
  const before = process.threadCpuUsage();
  referenceWork(rounds);
  const { user, system } = process.threadCpuUsage(before);
  const referenceMs = ((user + system) / 1000) * (referenceRounds / rounds);
  parentPort?.postMessage({ at: Date.now(), referenceMs } satisfies PaceSample);
  await delay(everyMs);
}
