import { patienceMs, quietMs, type Bench } from './bench.ts';
import type { Work } from './measurement.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { Subject } from './subject.ts';

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
  return { ...times, cpu, written: subject.countWrites(await writes.since(mark)) };
}
