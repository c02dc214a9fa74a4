import type { UnreadableObject } from '../decoder/unreadable-object.ts';
import type { Logger } from '../telemetry/logger.ts';
import { formatKey } from '../objects/object.ts';

/** So many versions are remembered; a list that brings more of them logs some again. */
const remembered = 1024;

/** Reports objects that cannot be read: each version once, however often it is sent. */
export class UnreadableLog {
  readonly #logger: Logger;
  readonly #reported = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Yields whether it was reported for the first time. One whose name cannot be read is always new. */
  report({ metadata, error }: UnreadableObject): boolean {
    const id = metadata === undefined ? undefined : `${metadata.uid} ${metadata.resourceVersion}`;
    if (id !== undefined) {
      if (this.#reported.has(id)) return false;
      this.#reported.add(id);
      const [oldest] = this.#reported;
      if (this.#reported.size > remembered && oldest !== undefined) this.#reported.delete(oldest);
    }
    const object = metadata === undefined ? undefined : formatKey(metadata);
    const fields = { object, resourceVersion: metadata?.resourceVersion, error: error.message };
    this.#logger.error(fields, 'an object cannot be read; its last readable version is kept');
    return true;
  }
}
