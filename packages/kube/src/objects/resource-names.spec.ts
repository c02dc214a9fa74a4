import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from './resource-names.ts';

const long = (length: number): string => 'a'.repeat(length);

describe('DNS-1123 labels', () => {
  test.each(['a', 'ab', 'abc', 'a1', 'a-1', 'a--1--2--b', '0', '01', '0-a', long(63)])(
    '%j is valid',
    (value) => {
      expect(dns1123LabelProblems(value)).toEqual([]);
    },
  );
  test.each(['', 'A', 'ABC', '-', 'a-', '-a', '_', 'a_', '.', 'a.b', ' ', 'a ', 'a\n', long(64)])(
    '%j is not',
    (value) => {
      expect(dns1123LabelProblems(value)).toHaveLength(1);
    },
  );
});

describe('DNS-1123 subdomains', () => {
  test.each(['a', '0', 'a.b', 'a.b.c', '0.0.1', 'a-1.b-2', 'a--b.c', long(253)])('%j is valid', (value) => {
    expect(dns1123SubdomainProblems(value)).toEqual([]);
  });
  test.each(['', 'A', '.', 'a.', '.a', 'a..b', 'a.-b', 'a-.b', 'a_b', 'a b', long(254)])(
    '%j is not',
    (value) => {
      expect(dns1123SubdomainProblems(value)).toHaveLength(1);
    },
  );
});

describe('label values', () => {
  test.each(['', 'a', 'A', '1', 'simple', '1234', 'now-with-dashes', 'a_b', 'a.b', 'A-1_2.3', long(63)])(
    '%j is valid',
    (value) => {
      expect(labelValueProblems(value)).toEqual([]);
    },
  );
  test.each([
    'nospecialchars%^=@',
    'Tama-nui-te-rā.is.Māori.sun',
    '\\backslashes\\are\\bad',
    '-start',
    'end-',
    '_',
    'a/b',
    long(64),
  ])('%j is not', (value) => {
    expect(labelValueProblems(value)).toHaveLength(1);
  });
});

describe('qualified names', () => {
  test.each([
    'simple',
    'now-with-dashes',
    '1-starts-with-num',
    '1234',
    'simple/simple',
    'now-with-dashes/simple',
    'now.with.dots/simple',
    '1-num.2-num/3-num',
    '1234/5678',
    '1.2.3.4/5678',
    'Uppercase_Is_OK_123',
    'example.com/Uppercase_Is_OK_123',
    'requests.storage-foo',
    long(63),
    `${long(253)}/${long(63)}`,
  ])('%j is valid', (value) => {
    expect(qualifiedNameProblems(value)).toEqual([]);
  });
  test.each([
    '',
    '/',
    'a/',
    '/a',
    'a/b/c',
    'nospecialchars%^=@',
    'cantendwithadash-',
    '-cantstartwithadash-',
    'only/one/slash',
    'Example.com/abc',
    'example_com/abc',
    'example.com/',
    '/simple',
    long(64),
    `${long(254)}/abc`,
    'prefix/-b',
  ])('%j is not', (value) => {
    expect(qualifiedNameProblems(value).length).toBeGreaterThan(0);
  });
});

test('every name that is a label is also a subdomain, a label value and a qualified name', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9.-]{0,66}$/), (value) => {
      fc.pre(dns1123LabelProblems(value).length === 0);
      expect(
        [dns1123SubdomainProblems, labelValueProblems, qualifiedNameProblems].flatMap((of) => of(value)),
      ).toEqual([]);
    }),
  );
});
