import { controllerOf } from '@atoll/kube';
import { writesOf } from '../history.ts';
import { describeWrite } from './describe-write.ts';
import type { Check } from './violation.ts';

/** Who may write only what these owners control, and which resources that is about. */
export interface OwnershipRule {
  readonly user: string;
  readonly resources: readonly string[];
  /** Uids of the owners on whose behalf the user may write. */
  readonly ownerUids: ReadonlySet<string>;
}

/** Whatever this user changed had one of these controllers before the write, or got one by being created. */
export function touchesOnlyOwn({ user, resources, ownerUids }: OwnershipRule): Check {
  return (history) =>
    writesOf(history)
      .filter(({ audit }) => audit.user === user && resources.includes(audit.resource))
      .filter(({ effects }) =>
        effects.some(({ event, before }) => {
          const owner = controllerOf(before ?? event.object);
          return owner === undefined || !ownerUids.has(owner.uid);
        }),
      )
      .map((write) => ({ rule: 'touches only its own', message: `${describeWrite(write)} is not its own` }));
}
