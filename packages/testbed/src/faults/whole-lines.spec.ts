import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WholeLines, splitLines } from './whole-lines.ts';

/** The text cut into chunks at these places. */
function chunksOf(text: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => text.subarray(places[index], end));
}

it('gives every line once, whole and in order, however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-zü]{0,6}$/)),
      fc.stringMatching(/^[a-z]{0,3}$/),
      fc.array(fc.nat()),
      (lines, rest, cuts) => {
        const text = Buffer.from([...lines.map((line) => `${line}\n`), rest].join(''));
        const whole = new WholeLines();
        const seen = chunksOf(text, cuts).flatMap((chunk) =>
          splitLines(whole.push(chunk) ?? Buffer.alloc(0)),
        );
        expect(seen.map(String)).toEqual(lines.map((line) => `${line}\n`));
        expect(whole.rest().toString()).toBe(rest);
      },
    ),
  );
});
