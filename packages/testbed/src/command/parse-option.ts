import { InvalidArgumentError } from 'commander';
import type { Taint } from '../fleet/node-spec.ts';

const effects: readonly Taint['effect'][] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
/** RFC 1123 label, as names of pools, zones and control planes must be to take part in names of nodes and folders. */
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function parseCount(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(text);
}

export function parseSeconds(text: string): number {
  const seconds = parseCount(text);
  if (seconds === 0) throw new InvalidArgumentError('It must be at least 1 second.');
  return seconds;
}

export function parseName(text: string): string {
  if (!label.test(text)) {
    throw new InvalidArgumentError('It must be of lower-case letters, digits and dashes, 63 at most.');
  }
  return text;
}

/** A number (`3`) or names (`hangzhou,shanghai`). */
export function parseNames(text: string): number | readonly string[] {
  if (/^\d+$/.test(text)) return parseCount(text);
  const names = text.split(',');
  for (const name of names) {
    if (!label.test(name)) throw new InvalidArgumentError(`"${name}" is neither a number nor a name.`);
  }
  if (new Set(names).size < names.length) throw new InvalidArgumentError('A name is there twice.');
  return names;
}

/** `key=value:Effect` or `key:Effect`, as kubectl writes taints; may be given again. */
export function parseTaint(text: string, earlier: readonly Taint[] = []): readonly Taint[] {
  const [, key = '', value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  const known = effects.find((name) => name === effect);
  if (key === '' || known === undefined) {
    throw new InvalidArgumentError(`It must be key=value:Effect, where Effect is ${effects.join(', ')}.`);
  }
  return [...earlier, { key, ...(value === undefined ? {} : { value }), effect: known }];
}

/** `key=value`; may be given again. */
export function parseLabel(
  text: string,
  earlier: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (key === '') throw new InvalidArgumentError('It must be key=value.');
  return { ...earlier, [key]: value };
}

/** `key=value` sets and `key-` removes, as with `kubectl label`; anything else is the name of a node. */
export function splitLabelArguments(words: readonly string[]): {
  readonly names: readonly string[];
  readonly labels: Readonly<Record<string, string | null>>;
} {
  const names: string[] = [];
  const labels: Record<string, string | null> = {};
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals > 0) labels[word.slice(0, equals)] = word.slice(equals + 1);
    else if (word.endsWith('-')) labels[word.slice(0, -1)] = null;
    else names.push(word);
  }
  return { names, labels };
}
