import type { StoredMeta } from '../objects/object.ts';

/** An object that the server sent and that cannot be read, while all around it can. */
export interface UnreadableObject {
  /** What can be read of it all the same; undefined: not even its name and its version. */
  readonly metadata: StoredMeta | undefined;
  readonly error: Error;
}
