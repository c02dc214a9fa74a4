import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { TextSource } from './cluster-access.ts';
import { CredentialError, describeFileFault } from './credential-error.ts';
import { readText } from './read-text.ts';

/** A mounted token or certificate is replaced about once an hour; ten seconds of delay hurt nobody. */
const REREAD_AFTER_MS = 10_000;

/** A file that takes longer is on a file system that does not answer: the last texts are used meanwhile. */
const WAIT_MS = 1_000;

/** Says what is wrong with texts, one for each source; undefined: they can be used. */
export type TextCheck = (texts: readonly string[]) => string | undefined;

/** How many certificates of texts that can be used are passed over. */
export type TextRemainder = (texts: readonly string[]) => number;

/**
 * The current texts of sources that belong together, a certificate and its key, or of one alone. Files are read again
 * at most every ten seconds, and at once after {@link expire}. What cannot be read, or fails the check, as while files
 * are being replaced, leaves the last texts in use: they may still be good, and the server judges that better.
 */
export class ReloadedFiles {
  readonly #sources: readonly TextSource[];
  readonly #what: string;
  readonly #check: TextCheck;
  readonly #unreadable: TextRemainder;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #texts: readonly string[] | undefined;
  #readAt = -Infinity;
  #reading: Promise<readonly string[]> | undefined;

  constructor(
    sources: readonly TextSource[],
    what: string,
    {
      check,
      unreadable,
      clock,
      logger,
    }: {
      readonly check?: TextCheck | undefined;
      readonly unreadable?: TextRemainder | undefined;
      readonly clock: Clock;
      readonly logger: Logger;
    },
  ) {
    this.#sources = sources;
    this.#what = what;
    this.#check = check ?? (() => undefined);
    this.#unreadable = unreadable ?? (() => 0);
    this.#clock = clock;
    this.#logger = logger;
  }

  /** One text for each source. Rejects with a {@link CredentialError} where there have never been good ones. */
  async read(): Promise<readonly string[]> {
    const fresh = this.#clock.monotonic() - this.#readAt < REREAD_AFTER_MS;
    if (this.#texts !== undefined && (fresh || !this.changes)) return this.#texts;
    this.#reading ??= this.#reload().finally(() => (this.#reading = undefined));
    return this.#texts === undefined ? this.#reading : this.#readInTime(this.#reading, this.#texts);
  }

  /** Whether reading again can bring other texts. */
  get changes(): boolean {
    return this.#sources.some(({ from }) => from === 'file');
  }

  /** The server refused what we sent: the next read looks at the files. */
  expire(): void {
    this.#readAt = -Infinity;
  }

  /** `last`: used where the reading takes long. It goes on, and what it brings is used by who asks later. */
  async #readInTime(
    reading: Promise<readonly string[]>,
    last: readonly string[],
  ): Promise<readonly string[]> {
    const late = Promise.withResolvers<readonly string[]>();
    const cancel = this.#clock.setTimer(WAIT_MS, () => {
      this.#readAt = this.#clock.monotonic();
      late.resolve(last);
    });
    try {
      return await Promise.race([reading, late.promise]);
    } finally {
      cancel();
    }
  }

  async #reload(): Promise<readonly string[]> {
    try {
      const texts: string[] = [];
      // One after the other: each file that does not answer takes one of the four threads that look up names, too.
      for (const source of this.#sources) texts.push(await this.#readSource(source));
      const problem = this.#check(texts);
      if (problem !== undefined) throw this.#error(`${problem} in ${this.#places()}`);
      this.#warnOfUnreadable(texts);
      this.#texts = texts;
    } catch (error) {
      if (this.#texts === undefined) throw error;
      this.#logger.warn({ err: error }, 'credentials cannot be read again, keeping the last ones');
    }
    this.#readAt = this.#clock.monotonic();
    return this.#texts;
  }

  /** Once for each content: it is read again every ten seconds. */
  #warnOfUnreadable(texts: readonly string[]): void {
    if (this.#texts?.every((text, index) => text === texts[index]) === true) return;
    const unreadable = this.#unreadable(texts);
    if (unreadable === 0) return;
    const fields = { what: this.#what, from: this.#places(), unreadable };
    this.#logger.warn(fields, 'certificates that cannot be read are passed over');
  }

  async #readSource(source: TextSource): Promise<string> {
    if (source.from === 'value') return source.value;
    const { path } = source;
    let text: string;
    try {
      text = await readText(path);
    } catch (error) {
      throw this.#error(`cannot read ${path}: ${describeFileFault(error)}`, error);
    }
    if (text.trim() === '') throw this.#error(`${path} is empty`);
    return text;
  }

  #places(): string {
    const places = this.#sources.map((source) =>
      source.from === 'file' ? source.path : 'the configuration',
    );
    return [...new Set(places)].join(' and ');
  }

  #error(message: string, cause?: unknown): CredentialError {
    return new CredentialError(`${this.#what}: ${message}`, { cause });
  }
}
