import { isDuration, isIntOrPercent, parseDurationNanoseconds, parseIntOrPercent } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountOf, durationOf } from './values.ts';

/** Texts that are nearly right more often than not. */
function textOf(...parts: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...parts), { maxLength: 6 }).map((chosen) => chosen.join(''));
}

describe('a duration of the schema', () => {
  const duration = durationOf('');
  const texts = textOf(
    '1',
    '20',
    '0',
    '.',
    '+',
    '-',
    'h',
    'm',
    's',
    'ms',
    'us',
    'µs',
    'μs',
    'ns',
    'd',
    ' ',
    '\n',
  );

  it('is what Go reads, unless it is negative or of many digits', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const isRight = isDuration(text) && !text.startsWith('-') && !/[0-9]{6}/.test(text);
        const isWrong = !isDuration(text) || text.startsWith('-');
        const { success } = duration.safeParse(text);
        expect(isRight && !success).toBe(false);
        expect(isWrong && success).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never too long for 64 bits', () => {
    const units = fc.constantFrom('h', 'm', 's', 'ms', 'us', 'ns');
    const numbers = fc.integer({ min: 1, max: 18 }).map((digits) => '9'.repeat(digits));
    const many = fc.array(
      fc.tuple(numbers, units).map(([number, unit]) => number + unit),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(many, (chosen) => {
        const text = chosen.join('');
        if (duration.safeParse(text).success) parseDurationNanoseconds(text);
      }),
      {
        examples: [[Array.from({ length: 6 }, () => '999999999s')], [['99999h'.repeat(10)]]],
        numRuns: 2_000,
      },
    );
    expect(duration.safeParse('99999h'.repeat(10)).success).toBe(true);
  });
});

describe('an amount of the schema', () => {
  const amount = amountOf('');
  const texts = textOf('1', '20', '0', '.', '+', '-', '%', '$', ' ', '\n');

  it('is what is read as number or percentage, unless it is negative', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.integer({ min: -3, max: 300 })), (value) => {
        const isRight =
          isIntOrPercent(value) && parseIntOrPercent(value).value >= 0 && !String(value).startsWith('-');
        expect(amount.safeParse(value).success).toBe(isRight);
      }),
      { numRuns: 2_000 },
    );
  });
});
