import { kinds, toStructural } from '@atoll/api/schema';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mutated } from './mutated.ts';
import type { JsonObject } from './hostile.ts';
import { fuzzedKinds } from './kinds/fuzzed-kinds.ts';

it('every kind that is installed is fuzzed, and DaemonSets', () => {
  expect(fuzzedKinds.map(({ resource }) => resource.kind).toSorted()).toEqual(
    [...kinds.map(({ resource }) => resource.kind), 'DaemonSet'].toSorted(),
  );
});

it.each(fuzzedKinds.map((each) => [each.resource.kind, each] as const))(
  'a seed repeats the objects of %s, which differ from each other',
  (_, { valid, schema }) => {
    const draw = (): readonly string[] =>
      fc.sample(mutated(valid('a'), schema), { numRuns: 50, seed: 7 }).map((each) => JSON.stringify(each));
    const drawn = draw();
    expect(drawn).toEqual(draw());
    expect(new Set(drawn).size).toBeGreaterThan(40);
  },
);

it('makes own fields of names that JavaScript gives a meaning, and lets the given object be', () => {
  const base: JsonObject = { spec: { labels: { app: 'a' } } };
  const before = JSON.stringify(base);
  const schema = {
    type: 'object',
    properties: { spec: toStructural(kinds[0]?.spec ?? never(), 'spec') },
  } as const;
  const texts = fc
    .sample(mutated(base, schema), { numRuns: 3000, seed: 1 })
    .map((each) => JSON.stringify(each));
  expect(JSON.stringify(base)).toBe(before);
  for (const name of ['"__proto__":', '"constructor":', '"toString":'])
    expect(texts.some((text) => text.includes(name))).toBe(true);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

function never(): never {
  throw new Error('there is no kind');
}
