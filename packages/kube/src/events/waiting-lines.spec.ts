import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WaitingLines } from './waiting-lines.ts';

const step = fc.record({
  adds: fc.boolean(),
  namespace: fc.constantFrom('a', 'b', 'c'),
  element: fc.integer({ min: 0, max: 4 }),
});

test('whatever is added and deleted, the newest of the longest line goes, and none where that is hardly longer', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const lines = new WaitingLines<number>();
      const plain = new Map<string, readonly number[]>([
        ['a', []],
        ['b', []],
        ['c', []],
      ]);
      for (const { adds, namespace, element } of steps) {
        const others = (plain.get(namespace) ?? []).filter((each) => each !== element);
        plain.set(namespace, adds ? [...others, element] : others);
        if (adds) lines.add(namespace, element);
        else lines.delete(namespace, element);
        const sizes = [...plain.values()].map(({ length }) => length);
        for (const [name, own] of plain) {
          const longest = [...plain.values()].filter(({ length }) => length === Math.max(...sizes));
          const newest = longest.map((line) => line.at(-1));
          const found = lines.newestInPlaceOf(name);
          expect(Math.max(...sizes) > own.length + 1 ? newest : [undefined]).toContain(found);
        }
      }
    }),
  );
});
