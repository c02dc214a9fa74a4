import type { ExtendedDaemonSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import type { Connection } from '../program/connection.ts';
import { canaryIn } from './objects.ts';

/** Notes when the object has no canary any more, or another one, until the signal ends. Who may not watch the object gets no notes. */
export async function noteCanaryEnd(
  connection: Connection,
  object: Stored<ExtendedDaemonSet>,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { extendedDaemonSets } = await import('@atoll/api');
  const { watchOne } = await import('./watch/watch-one.ts');
  const { isFinal } = await import('./watch/watching.ts');
  const first = canaryIn(object);
  let before = first;
  try {
    await watchOne(connection, extendedDaemonSets, object, {
      changed: ({ type, object: changed }) => {
        const now = type === 'DELETED' ? '' : canaryIn(changed);
        if (now !== before)
          note(`ExtendedDaemonSet ${object.metadata.name}: ${whatIsTried(first, now, changed)}`);
        before = now;
      },
      failed: () => undefined,
      signal,
    });
  } catch (error) {
    if (!isFinal(error)) throw error;
  }
}

function whatIsTried(first: string, now: string, { status }: ExtendedDaemonSet): string {
  if (now === first) return `the canary is ${first} again.`;
  if (now !== '')
    return `the canary is ${now} now. What is printed are the pods of ${first} still; for those of ${now}, repeat the command.`;
  return status?.activeReplicaSet === first
    ? `the canary ${first} is promoted. Its pods on all nodes are printed from now on.`
    : `the canary ${first} has ended.`;
}
