import type { ChildProcess } from 'node:child_process';
import { systemClock, type Clock } from '@atoll/kube';

/** Starting takes a second; what has sent nothing after so long never will. */
const patienceMs = 60_000;

/** What a child process sends first. Rejects where it ends before, or sends nothing within a minute; it is killed then. */
export async function firstMessage(
  child: Pick<ChildProcess, 'once' | 'kill'>,
  name: string,
  clock: Pick<Clock, 'setTimer'> = systemClock,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const cancel = clock.setTimer(patienceMs, () => {
    child.kill('SIGKILL');
    reject(new Error(`${name} was not ready within ${patienceMs / 1000} s`));
  });
  child.once('message', resolve);
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  return promise.finally(cancel);
}
