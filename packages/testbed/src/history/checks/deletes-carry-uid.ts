import { writesOf } from '../history.ts';
import { describeWrite } from './describe-write.ts';
import type { Check } from './violation.ts';

/**
 * Every deletion by this user names the uid of what it deletes; deletions of whole collections cannot. One that is forbidden, as by an API server that
 * has not read its roles yet, is refused before its body is read, and the log has none.
 */
export function deletesCarryUid({ user }: { readonly user: string }): Check {
  return (history) =>
    writesOf(history)
      .filter(
        ({ audit }) => audit.user === user && (audit.verb === 'delete' || audit.verb === 'deletecollection'),
      )
      .filter(({ audit }) => audit.preconditions.uid === undefined)
      .filter(({ audit }) => audit.code !== 403 || audit.request !== undefined)
      .map((write) => ({ rule: 'deletes carry the uid', message: `${describeWrite(write)} names no uid` }));
}
