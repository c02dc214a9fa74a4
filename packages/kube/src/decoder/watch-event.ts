import type { ApiStatus } from '../api-error.ts';
import type { KubeObject, Stored } from '../object.ts';

/** A line of a watch stream. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored<T> }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** The stream has now sent all that existed when it began (`sendInitialEvents`). */
      readonly initialEventsEnd: boolean;
    }
  | { readonly type: 'ERROR'; readonly status: ApiStatus };
