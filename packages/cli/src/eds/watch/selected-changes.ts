import type { KubeObject, Stored, StreamEvent } from '@atoll/kube';
import type { Watching } from './watching.ts';

/** Which objects are shown, and what is shown of them. */
export interface Selection<T extends KubeObject> {
  readonly isSelected: (object: Stored<T>) => boolean;
  /** What is printed of it: where that stays, it is not printed again. */
  readonly printedOf: (object: Stored<T>) => string;
}

/** Of the changes of objects, those of the selection. */
export interface SelectedChanges<T extends KubeObject> {
  readonly take: (change: StreamEvent<T>) => void;
  /** Looks at what is shown of these again, of which something else changed than the object itself. */
  readonly again: (isConcerned: (object: Stored<T>) => boolean) => void;
}

/**
 * Passes changes of selected objects on, of which these are shown: one that comes into the selection is ADDED, one that leaves it DELETED,
 * as in a watch of the API server with a selector.
 */
export function selectedChanges<T extends KubeObject>(
  { isSelected, printedOf }: Selection<T>,
  found: readonly Stored<T>[],
  changed: Watching<T>['changed'],
): SelectedChanges<T> {
  const shown = new Map(found.map((object) => [object.metadata.uid, { object, printed: printedOf(object) }]));
  const take = ({ type, object }: StreamEvent<T>): void => {
    const { uid } = object.metadata;
    if (type === 'DELETED' || !isSelected(object)) {
      if (shown.delete(uid)) changed({ type: 'DELETED', object });
      return;
    }
    const before = shown.get(uid);
    const printed = printedOf(object);
    shown.set(uid, { object, printed });
    if (before === undefined) changed({ type: 'ADDED', object });
    else if (before.printed !== printed) changed({ type: 'MODIFIED', object });
  };
  const again = (isConcerned: (object: Stored<T>) => boolean): void => {
    for (const { object } of shown.values()) if (isConcerned(object)) take({ type: 'MODIFIED', object });
  };
  return { take, again };
}
