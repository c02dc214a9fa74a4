import fc from 'fast-check';

/** A value of JSON, as a client may send it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Names that JavaScript, Go, patches and paths give a meaning of their own. */
export const hostileKey: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'toJSON',
    'then',
    'length',
    '',
    ' ',
    '.',
    '..',
    '../../etc',
    'a/b/c',
    '~0~1',
    '*',
    '0',
    '$patch',
    '$retainKeys',
    '$setElementOrder/containers',
    '\u0000',
    '\u202e',
    '\u{1f4a5}',
    'e\u0301',
    'x'.repeat(317),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }).map(wellFormed),
);

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1',
    '100%',
    '101%',
    '-5%',
    '0%',
    '2147483648',
    '99999999999999999999',
    '1e3',
    'NaN',
    'true',
    'False',
    'null',
    '{}',
    '{"labels":',
    '[1',
    '__proto__',
    'constructor',
    '-',
    'a'.repeat(64),
    '0s',
    '-1s',
    '1ns',
    '9999999h',
    '1h1',
    '9999-12-31T23:59:59Z',
    '1e999',
    '1Ei',
    '-1Mi',
    '5 ',
    '\u0000',
    '\u2028',
    '\u202egpj',
    '\u{1f4a5}\u{1f4a5}',
    '<script>',
    '%s%n',
    '${x}',
    '$(x)',
    'a\nb\n---\nc',

    'AdvancedRollingUpdate',
    'OTA',
    'Auto',
    'OnDelete',
    'manual',
    'Adaptive',
    'Always',
    'AfterReplacement',
  ),
  fc.string({ unit: 'binary', maxLength: 200 }).map(wellFormed),
);

export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -1, 1, 2, 7, 100, 2_147_483_647, -2_147_483_648, 2 ** 31, 2 ** 53 - 1, 0.5, 1e20),
  fc.integer({ min: -3, max: 1000 }),
);

const small: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom<Json>(null, true, false, [], {}, [null], [[]]),
);

/** Much at once: deep, wide, or long. About one of a dozen has a megabyte. */
const large: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(20, 200, 3000).map(nested),
  fc.integer({ min: 100, max: 4000 }).map((count) => numberedMap(count)),
  fc.integer({ min: 100, max: 2000 }).map((count) => Array.from({ length: count }, (_, index) => `${index}`)),
  fc.constantFrom(10_000, 10_000, 100_000, 1_100_000).map((length) => '\u00e9'.repeat(length / 2)),
);

const hostileObject: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(hostileKey, small), { maxLength: 4 })
  // `fromEntries` makes own fields, of `__proto__` too.
  .map((entries): JsonObject => Object.fromEntries(entries));

export const hostileJson: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: small },
  { weight: 3, arbitrary: hostileObject },
  { weight: 1, arbitrary: large },
);

function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

function numberedMap(count: number): JsonObject {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`example.com/key-${index}`, `${index}`]),
  );
}

/** JSON has no lone surrogates in UTF-8. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}
