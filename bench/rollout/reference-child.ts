import type { ReferenceTime } from './reference.ts';
import { referenceRounds, referenceWork } from './reference-work.ts';

const [startedAt, before] = [performance.now(), process.cpuUsage()];
referenceWork(referenceRounds);
const { user, system } = process.cpuUsage(before);
const time: ReferenceTime = {
  cpuMs: Math.round((user + system) / 1000),
  elapsedMs: Math.round(performance.now() - startedAt),
};
process.stdout.write(JSON.stringify(time));
