import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dns1123LabelProblems, labelValueProblems } from '@atoll/kube';
import { childName, childNamePrefix, revisionLabel, revisionName, workloadLabel } from './names.ts';

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$/);
const name = fc
  .array(label, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('.').slice(0, 253))
  .filter((text) => /[a-z0-9]$/.test(text));

describe("a child's name", () => {
  test('shows owner and pool', () => {
    expect(childName({ name: 'web', uid: 'u' }, 'hz')).toMatch(/^web-hz-[a-z0-9]{8}$/);
  });

  test('shows as much of both as fits', () => {
    const text = childName({ name: 'a'.repeat(100), uid: 'u' }, 'b'.repeat(63));
    expect(text).toMatch(/^a{21}-b{21}-[a-z0-9]{8}$/);
  });

  test('leaves the room that a short owner does not need to the pool', () => {
    expect(childName({ name: 'web', uid: 'u' }, 'p'.repeat(60))).toMatch(/^web-p{39}-[a-z0-9]{8}$/);
  });

  test('is another one for another owner of the same name', () => {
    expect(childName({ name: 'web', uid: 'u1' }, 'hz')).not.toBe(childName({ name: 'web', uid: 'u2' }, 'hz'));
  });

  test('fits whatever the API server and the StatefulSet controller make of it', () => {
    fc.assert(
      fc.property(name, name, (owner, pool) => {
        const text = childName({ name: owner, uid: 'u' }, pool);
        expect(dns1123LabelProblems(text)).toEqual([]);
        expect(text.length).toBeLessThanOrEqual(52);
        expect(text.startsWith(childNamePrefix(owner))).toBe(true);
      }),
    );
  });

  test('is never that of another pool, however alike the names are', () => {
    const pools = ['a', 'a-b', 'a.b', 'x'.repeat(60), `${'x'.repeat(60)}y`];
    const names = pools.map((pool) => childName({ name: 'web', uid: 'u' }, pool));
    expect(new Set(names).size).toBe(pools.length);
  });
});

describe('a label value', () => {
  test('is the whole name of the revision where it fits', () => {
    expect(revisionLabel(revisionName('web', 'abc'))).toBe('web-abc');
  });

  test('is its beginning and its hash where it does not', () => {
    expect(revisionLabel(revisionName('w'.repeat(80), 'abcdefghij'))).toBe(`${'w'.repeat(52)}-abcdefghij`);
  });

  test('is valid for every name', () => {
    fc.assert(
      fc.property(name, (owner) => {
        expect(labelValueProblems(revisionLabel(revisionName(owner, 'abcdefghij')))).toEqual([]);
        expect(labelValueProblems(workloadLabel(owner))).toEqual([]);
        expect(revisionName(owner, 'abcdefghij').length).toBeLessThanOrEqual(253);
      }),
    );
  });
});
