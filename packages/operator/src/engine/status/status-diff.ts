import { isFields, type Fields } from '@atoll/kube';
import { sameJson } from '../same-meaning.ts';

/**
 * The merge patch (RFC 7386) that turns one status into another, or undefined where they mean the same. Lists are
 * replaced as a whole. It looks as deep as the wanted status is, which we made: what is taken over from the found one is the
 * same object.
 */
export function statusDiff(
  from: object | undefined,
  to: object,
): Readonly<Record<string, unknown>> | undefined {
  return diff((from ?? {}) as Fields, to as Fields);
}

function diff(from: Fields, to: Fields): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(from).sort()) {
    if (from[key] !== undefined && (to[key] === undefined || to[key] === null)) patch[key] = null;
  }
  for (const key of Object.keys(to).sort()) {
    const [old, wanted] = [from[key], to[key]];
    if (wanted === undefined || wanted === null || sameJson(old, wanted)) continue;
    const inner = isFields(old) && isFields(wanted) ? diff(old, wanted) : wanted;
    if (inner !== undefined) patch[key] = inner;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
