import { canonicalJson } from './stable-hash.ts';

/**
 * JSON as the API server writes it itself (Go's `encoding/json` of a map): keys in order, and the characters escaped that
 * HTML would read. Where the API server keeps the bytes that it was sent, as of `data` of a ControllerRevision, and compares
 * them with its own, only this text stays what it is.
 */
export function goJson(value: unknown): string {
  return canonicalJson(value).replace(/[&<>\u2028\u2029]/g, escaped);
}

/** Such characters stand in strings only. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
