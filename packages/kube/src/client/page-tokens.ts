import { ApiError, isApiError } from './api-error.ts';

/** The `continue` tokens of one list. A server, or a proxy that repeats its answers, must not have it asked for for ever. */
export class PageTokens {
  readonly #attempted: string;
  readonly #answered = new Set<string>();
  #beganAnew = false;

  /** `attempted`: for people, `list configmaps in edge`. */
  constructor(attempted: string) {
    this.#attempted = attempted;
  }

  /** The token to go on with. Throws an {@link ApiError} where it was answered before: the list would have no end. */
  next(token: string): string {
    if (this.#answered.has(token))
      throw new ApiError({
        fate: 'refused',
        code: 200,
        reason: 'InvalidAnswer',
        message:
          'the list has no end: the server answers a continue token that it answered before; does something between here and the API server repeat its answers?',
        attempted: this.#attempted,
      });
    this.#answered.add(token);
    return token;
  }

  /** Whether the list may begin again in one piece after this failure: its token has expired, and that happened for the first time. */
  beginsAnew(error: unknown): boolean {
    if (this.#answered.size === 0 || this.#beganAnew || !isApiError(error) || error.code !== 410)
      return false;
    this.#beganAnew = true;
    this.#answered.clear();
    return true;
  }
}
