import type { AuditEntry, AuditLog } from '@atoll/testbed';

/** How much has been written so far, by anybody. */
export async function lengthOf(log: AuditLog): Promise<number> {
  await log.readOn();
  return log.entries.length;
}

/** The operator's writes since `mark` that were done, without events and the renewal of its lease. */
export async function operatorWrites(log: AuditLog, mark: number): Promise<readonly AuditEntry[]> {
  await log.readOn();
  return log.entries
    .slice(mark)
    .filter(
      ({ userAgent, resource, code, dryRun }) =>
        userAgent.startsWith('atoll-operator/') &&
        code < 300 &&
        !dryRun &&
        !resource.startsWith('leases') &&
        !resource.startsWith('events'),
    );
}

/** Of these, those of pods with the verb. */
export function ofPods(writes: readonly AuditEntry[], verb: string): readonly AuditEntry[] {
  return writes.filter((entry) => entry.resource === 'pods' && entry.verb === verb);
}

/** The most status writes of one object of which the last came less than a second after the first. */
export function mostStatusWrites(writes: readonly AuditEntry[]): number {
  const times = new Map<string, number[]>();
  for (const { subresource, resource, name = '', at } of writes) {
    if (subresource !== 'status') continue;
    const key = `${resource} ${name}`;
    times.set(key, [...(times.get(key) ?? []), at]);
  }
  const most = [...times.values()].map((all) => {
    const sorted = all.toSorted((a, b) => a - b);
    return Math.max(...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 1000).length));
  });
  return Math.max(0, ...most);
}
