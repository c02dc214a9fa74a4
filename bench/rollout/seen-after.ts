import type { AuditEntry } from '@atoll/testbed';
import { isOperators } from './write-log.ts';

/**
 * Milliseconds from each change of an object of the kind with this plural, made by a user, until the operator's next status write
 * of it was answered: until a user sees in `observedGeneration` that the change was seen. Infinity where none followed.
 */
export function seenAfter(entries: readonly AuditEntry[], plural: string): readonly number[] {
  const ofKind = entries.filter(({ resource, code }) => resource.startsWith(`${plural}.`) && code < 300);
  const changes = ofKind.filter(
    (each) => !isOperators(each) && each.subresource === undefined && each.verb !== 'delete',
  );
  const statuses = ofKind.filter((each) => isOperators(each) && each.subresource === 'status');
  return changes.map((change) => {
    const sees = (each: AuditEntry): boolean =>
      each.name === change.name && each.namespace === change.namespace && each.receivedAt >= change.at;
    return (statuses.find(sees)?.at ?? Infinity) - change.at;
  });
}
