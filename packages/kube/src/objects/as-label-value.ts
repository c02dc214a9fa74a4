import { stableHash } from '../values/stable-hash.ts';

const limit = 63;

/**
 * An object's name as a value of a label: the name itself wherever it is short enough, else its beginning and a hash, so that two names are never the
 * same value. `hash`: what is to stand at the end instead of a hash of the whole name.
 */
export function asLabelValue(name: string, hash: string = stableHash(name, 8)): string {
  if (name.length <= limit) return name;
  return `${name.slice(0, limit - 1 - hash.length).replace(/[^A-Za-z0-9]+$/, '')}-${hash}`;
}
