import { canonicalJson, isFields } from '@atoll/kube';

/** Deeper than any field of a pod template that a person would look for. */
const deepest = 10;
const longest = 40;

/** Where a child and its template differ in normal form, in words: the path in the template, what is there, and what the child has. */
export function differencesBetween(found: unknown, wanted: unknown, path: string): readonly string[] {
  return between(found, wanted, path, 0);
}

/** As many as a message has room for beside what is to be done, at least one. */
export function inBrief(differences: readonly string[]): string {
  const named: string[] = [];
  for (const each of differences) {
    if (named.length > 0 && [...named, each].join(', ').length > 220) break;
    named.push(each);
  }
  const more = differences.length - named.length;
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

function between(found: unknown, wanted: unknown, path: string, depth: number): readonly string[] {
  if (found === undefined) return [`${path} is set (child: none)`];
  if (wanted === undefined) return [`${path} is not set (child: set)`];
  const [left, right] = [partsOf(found), partsOf(wanted)];
  if (left === undefined || right === undefined || depth === deepest) {
    if (canonicalJson(found) === canonicalJson(wanted)) return [];
    return [`${path} is ${textOf(wanted)} (child: ${textOf(found)})`];
  }
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  return keys.flatMap((key) => between(left.get(key), right.get(key), `${path}${key}`, depth + 1));
}

/** The parts of an object, or of a list whose elements have names of their own, by what they add to the path. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (Array.isArray(value)) {
    const named = value.map((each: unknown) => (isFields(each) ? each['name'] : undefined));
    if (new Set(named).size < named.length || named.some((name) => typeof name !== 'string'))
      return undefined;
    return new Map(value.map((each: unknown, index) => [`[${String(named[index])}]`, each]));
  }
  if (!isFields(value)) return undefined;
  return new Map(Object.entries(value).map(([key, each]) => [`.${key}`, each]));
}

/** The end of a long text shows more than its beginning: of an image it is the tag. */
function textOf(value: unknown): string {
  const text = canonicalJson(value);
  return text.length > longest ? `…${text.slice(-longest)}` : text;
}
