import { writesOf } from '../history.ts';
import { describeWrite } from './describe-write.ts';
import { concernsWrite } from './count-writes.ts';
import type { WriteFilter } from './count-writes.ts';
import type { Check } from './violation.ts';

/** Without faults, no write of this user finds its object there already, gone, newer, or as it should be. */
export function noWastedWrites(filter: WriteFilter): Check {
  return (history) =>
    writesOf(history)
      .filter((write) => concernsWrite(filter, write))
      .filter(({ audit, result }) => audit.code === 404 || audit.code === 409 || result === 'unchanged')
      .map((write) => ({
        rule: 'no wasted writes',
        message: `${describeWrite(write)} ${write.result === 'unchanged' ? 'changed nothing' : (write.audit.reason ?? '')}`,
      }));
}
