import { isQuantity } from '@atoll/kube';
import { text, valueParser, wholeNumber, type ValueParser } from '@atoll/kube/command-line';
import type { Taint } from '../fleet/node-spec.ts';

const effects: readonly Taint['effect'][] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
/** RFC 1123 label, as names of pools, zones and control planes must be to take part in names of nodes and folders. */
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const parseCount = wholeNumber(0, 999_999);

/** Not the empty one, of a variable that is not set. */
export const parseKubeconfig = text('the path of a kubeconfig');

/** What a node has of CPU or memory. */
export const parseQuantity = valueParser('a quantity like 32, 500m or 256Gi', (given) =>
  isQuantity(given) && !given.startsWith('-') ? given : undefined,
);

/** A count, as a node has it in its capacity. */
export const parsePods = Object.assign((given: string) => String(parseCount(given)), {
  allowed: parseCount.allowed,
});

export const parseSeconds = valueParser('a whole number of seconds from 1 to 999999', (text) =>
  /^\d{1,6}$/.test(text) && Number(text) > 0 ? Number(text) : undefined,
);

export const parseName = valueParser('a name of lower-case letters, digits and dashes, 63 at most', (text) =>
  label.test(text) ? text : undefined,
);

/** A number (`3`) or names (`hangzhou,shanghai`). */
export const parseNames = valueParser(
  'a number, or different names of lower-case letters, digits and dashes, by comma',
  (text): number | readonly string[] | undefined => {
    if (/^\d{1,6}$/.test(text)) return Number(text);
    const names = text.split(',');
    const areNames = names.every((name) => label.test(name));
    return areNames && new Set(names).size === names.length ? names : undefined;
  },
);

/** `key=value:Effect` or `key:Effect`, as kubectl writes taints; may be given again. */
export const parseTaint = repeatable(
  valueParser(
    `key=value:Effect or key:Effect, where Effect is ${effects.join(', ')}`,
    (text): Taint | undefined => {
      const [, key = '', value, effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
      const known = effects.find((name) => name === effect);
      if (key === '' || known === undefined) return undefined;
      return { key, ...(value === undefined ? {} : { value }), effect: known };
    },
  ),
);

/** Each time that the flag is given adds to those before. */
function repeatable<T>(one: ValueParser<T>) {
  const parse = (text: string, earlier: readonly T[] = []): readonly T[] => [...earlier, one(text)];
  return Object.assign(parse, { allowed: one.allowed });
}

const oneLabel = valueParser('key=value', (text) => {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  return key === undefined || value === undefined ? undefined : ([key, value] as const);
});

/** `key=value`; may be given again. */
export const parseLabel = Object.assign(
  (text: string, earlier: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    ...earlier,
    ...Object.fromEntries([oneLabel(text)]),
  }),
  { allowed: oneLabel.allowed },
);

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
