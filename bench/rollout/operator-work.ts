import { patienceMs, quietMs, type Bench } from './bench.ts';
import type { Work } from './measurement.ts';
import type { OperatorProcess } from './operator-process.ts';
import { seenAfter } from './seen-after.ts';
import type { Subject } from './subject.ts';
import { isOperators } from './write-log.ts';

/** Asks something of the operator, and counts what it does until it has nothing more to write. */
export async function operatorWork<Times, Written>(
  { writes, pace }: Bench,
  subject: Subject<Written>,
  operator: OperatorProcess,
  ask: () => Promise<Times>,
): Promise<Times & Work<Written>> {
  const [mark, cpuBefore, spanOf] = [await writes.now(), operator.cpuMs, pace.begin()];
  const times = await ask();
  await writes.silence(quietMs, patienceMs);
  const cpu = spanOf(operator.cpuMs - cpuBefore);
  const all = await writes.all(mark);
  const seenMs = Math.max(0, ...seenAfter(all, subject.plural));
  return { ...times, cpu, seenMs, written: subject.countWrites(all.filter(isOperators)) };
}
