import type { ApiStatus } from '../client/api-error.ts';
import type { KubeObject, Stored } from '../objects/object.ts';
import type { UnreadableObject } from './unreadable-object.ts';

/** A line of a watch stream. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored<T> }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** The stream has now sent all that existed when it began (`sendInitialEvents`). */
      readonly initialEventsEnd: boolean;
    }
  | { readonly type: 'ERROR'; readonly status: ApiStatus }
  /** One of the first three, of an object that cannot be read. */
  | (UnreadableObject & { readonly type: 'UNREADABLE'; readonly change: 'ADDED' | 'MODIFIED' | 'DELETED' });

/** The version that an event brings; empty where it cannot be read. */
export function versionOf<T extends KubeObject>(
  event: Exclude<WatchEvent<T>, { readonly type: 'ERROR' }>,
): string {
  if (event.type === 'BOOKMARK') return event.resourceVersion;
  return (event.type === 'UNREADABLE' ? event.metadata : event.object.metadata)?.resourceVersion ?? '';
}
