import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from './heap.ts';

test('whatever goes in comes out in order', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(50), { nil: 'pop' as const })), (operations) => {
      const heap = new Heap<number>((a, b) => a < b);
      const model: number[] = [];
      const popped: (number | undefined)[] = [];
      const expected: (number | undefined)[] = [];
      for (const operation of operations) {
        if (operation === 'pop') {
          popped.push(heap.peek(), heap.pop());
          model.sort((a, b) => a - b);
          expected.push(model[0], model.shift());
        } else {
          heap.push(operation);
          model.push(operation);
        }
      }
      expect(popped).toEqual(expected);
      expect(heap.size).toBe(model.length);
    }),
  );
});
