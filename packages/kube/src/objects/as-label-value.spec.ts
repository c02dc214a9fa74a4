import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asLabelValue } from './as-label-value.ts';
import { labelValueProblems } from './resource-names.ts';

const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/);

describe('a name as the value of a label', () => {
  it('is the name itself up to 63 characters', () => {
    expect(asLabelValue('x'.repeat(63))).toBe('x'.repeat(63));
  });

  it('is its beginning and a hash beyond, which differs where the end does', () => {
    const [one, other] = ['a', 'b'].map((end) => asLabelValue(`${'x'.repeat(70)}${end}`));
    expect(one).toMatch(/^x{54}-[a-z0-9]{8}$/);
    expect(one).not.toBe(other);
    expect(asLabelValue(`${'x'.repeat(50)}....${'x'.repeat(20)}`, 'end')).toBe(
      `${'x'.repeat(50)}....xxxxx-end`,
    );
  });

  it('is one that the API server takes, whatever the name is', () => {
    fc.assert(
      fc.property(name, (each) => {
        expect(labelValueProblems(asLabelValue(each))).toEqual([]);
      }),
    );
  });
});
