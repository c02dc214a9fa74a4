import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { TextSource } from './cluster-access.ts';
import { CredentialError, describeFileFault } from './credential-error.ts';

/** A mounted token or certificate is replaced about once an hour; ten seconds of delay hurt nobody. */
const REREAD_AFTER_MS = 10_000;

/**
 * The current text of a source. A file is read again at most every ten seconds, and at once after
 * {@link expire}. A file that cannot be read any more keeps its last text: the old token may still be good,
 * and the server judges that better than we do.
 */
export class ReloadedText {
  readonly #source: TextSource;
  readonly #what: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #text: string | undefined;
  #readAt = -Infinity;
  #reading: Promise<string> | undefined;

  constructor(source: TextSource, what: string, clock: Clock, logger: Logger) {
    this.#source = source;
    this.#what = what;
    this.#clock = clock;
    this.#logger = logger;
  }

  async read(): Promise<string> {
    if (this.#source.from === 'value') return this.#source.value;
    if (this.#text !== undefined && this.#clock.monotonic() - this.#readAt < REREAD_AFTER_MS)
      return this.#text;
    this.#reading ??= this.#readFile(this.#source.path).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** The server refused what we sent: the next read looks at the file. */
  expire(): void {
    this.#readAt = -Infinity;
  }

  async #readFile(path: string): Promise<string> {
    try {
      const text = await readFile(path, 'utf8');
      if (text.trim() === '') throw new CredentialError(`${this.#what}: ${path} is empty`);
      this.#text = text;
    } catch (error) {
      const fault =
        error instanceof CredentialError
          ? error
          : new CredentialError(`${this.#what}: cannot read ${path}: ${describeFileFault(error)}`, {
              cause: error,
            });
      if (this.#text === undefined) throw fault;
      this.#logger.warn(
        { path, error: fault.message },
        'credential file unreadable, keeping its last content',
      );
    }
    this.#readAt = this.#clock.monotonic();
    return this.#text;
  }
}
