import { canonicalJson } from './stable-hash.ts';

/**
 * The JSON of a value of any depth. V8's own writer (13.6) calls itself and throws a RangeError at some 4,000 levels,
 * where the API server takes nearly 10,000; its reader does not and takes them all.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return canonicalJson(value);
  }
}

/**
 * The JSON of a value of any depth and size for a message: at most so many characters of it, and not half of one, in whose place the API
 * server would keep another.
 */
export function jsonExcerpt(value: unknown, length = 100): string {
  return jsonText(value).slice(0, length).toWellFormed();
}
