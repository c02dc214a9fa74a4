import { groupResourceOf, type KubeObject, type Resource } from '@atoll/kube';
import type { AuditEntry } from '@atoll/testbed';
import { patienceMs, quietMs, type Bench } from './bench.ts';
import type { Reaction } from './measurement.ts';
import { childWrites } from './rollout-writes.ts';
import { isOperators } from './write-log.ts';

type Kind = Pick<Resource<KubeObject>, 'group' | 'plural'>;

/** What becomes of one change of an object of this kind, in quiet. */
export async function reactionTo(
  { writes }: Bench,
  kind: Kind,
  change: () => Promise<unknown>,
): Promise<Reaction> {
  const mark = await writes.now();
  await change();
  await writes.silence(quietMs, patienceMs);
  return reactionIn(await writes.all(mark), kind);
}

/** The first write of such an object that is not the operator's is what it was asked. */
export function reactionIn(entries: readonly AuditEntry[], kind: Kind): Reaction {
  const asked = entries.find((entry) => entry.resource === groupResourceOf(kind) && !isOperators(entry));
  const children = childWrites(entries.filter(isOperators));
  const last = children.map(({ receivedAt }) => receivedAt).toSorted((a, b) => b - a)[0];
  return { childWrites: children.length, afterMs: (last ?? Number.NaN) - (asked?.at ?? Number.NaN) };
}
