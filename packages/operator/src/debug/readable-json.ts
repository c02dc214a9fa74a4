/** So many values are shown: what a thousand pools have would keep the process from its work for as long as it is written. */
const mostValues = 200_000;

/** More than objects of people have; calls for what the API server takes would not fit on the stack. */
const mostLevels = 200;

/** Stands for what is not shown. */
const hidden = '<not shown>';

/** Annotations that repeat a whole object, with all that is hidden elsewhere. */
const repeats = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields of containers in which passwords are found, because nothing keeps people from writing them there. */
const mayHoldSecrets = new Set(['args', 'command']);

/**
 * Values of the operator as JSON for people: maps and sets as they are, errors by their message, functions and readers left out. The values of
 * environment variables, commands, and text that is itself an object, as in annotations, are hidden. Values of any depth and size.
 */
export function readableJson(value: unknown): string {
  let left = mostValues;
  const above = new Set<object>();

  const shown = (name: string, each: unknown): unknown => {
    if (typeof each === 'bigint') return String(each);
    if (typeof each === 'string') return name === repeats || isObjectText(each) ? hidden : each;
    if (typeof each !== 'object' || each === null) return typeof each === 'function' ? undefined : each;
    if (each instanceof Error) return shown(name, each.message);
    if (above.has(each)) return '<see above>';
    left -= 1;
    if (left < 0) return '<too much to show>';
    if (above.size >= mostLevels) return '<too deep to show>';
    if (mayHoldSecrets.has(name)) return hidden;
    above.add(each);
    const copy = copyOf(name, each);
    above.delete(each);
    return copy;
  };

  const copyOf = (name: string, each: object): unknown => {
    if (each instanceof Map)
      return Object.fromEntries([...each].map(([key, item]) => [textOf(key), shown(textOf(key), item)]));
    if (each instanceof Set) return [...each].map((item) => shown(name, item));
    if (Array.isArray(each))
      return each.map((item: unknown) => shown('', name === 'env' ? withoutValue(item) : item));
    if (!isPlain(each)) return undefined;
    const entries = Object.entries(each).map(([key, item]) => [key, shown(key, item)] as const);
    return Object.fromEntries(entries);
  };

  return `${JSON.stringify(shown('', value), undefined, 2)}\n`;
}

function withoutValue(variable: unknown): unknown {
  const isNamed = typeof variable === 'object' && variable !== null && 'value' in variable;
  return isNamed ? { ...variable, value: hidden } : variable;
}

function isObjectText(text: string): boolean {
  return /^\s*[{[]/.test(text) && text.length > 2;
}

function textOf(key: unknown): string {
  return typeof key === 'string' ? key : JSON.stringify(key);
}

/** Readers, caches and other things with a life are no data. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
