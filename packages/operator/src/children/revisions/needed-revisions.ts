import { annotations } from '@atoll/api';
import type { OwnedChild } from '../child.ts';
import type { Revision } from './revision.ts';

/** Labels of the revisions that are wanted, current, or still carried by some child or its pods. */
export function neededRevisions(
  wanted: Revision,
  history: readonly Revision[],
  current: string | undefined,
  children: readonly OwnedChild[],
  revisionLabel: string,
): ReadonlySet<string> {
  const needed = new Set([wanted.label]);
  for (const revision of history) if (revision.name === current) needed.add(revision.label);
  for (const { object } of children) {
    const carried = [
      object.metadata.labels?.[revisionLabel],
      object.metadata.annotations?.[annotations.podRevision],
      object.spec?.template?.metadata?.labels?.[revisionLabel],
    ];
    for (const label of carried) if (label !== undefined) needed.add(label);
  }
  return needed;
}
