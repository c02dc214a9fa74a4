import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  atomicList,
  cel,
  embedded,
  int32,
  int64,
  intOrString,
  listMap,
  rules,
  timestamp,
} from './markers.ts';
import { toStructural } from './to-structural.ts';

describe('toStructural', () => {
  it.each<readonly [string, z.ZodType, object]>([
    ['a 32-bit integer', int32(), { type: 'integer', format: 'int32' }],
    ['a 64-bit integer', int64(), { type: 'integer', format: 'int64' }],
    [
      'the bounds of an integer',
      int32().min(0).max(9),
      { type: 'integer', format: 'int32', minimum: 0, maximum: 9 },
    ],
    ['a time', timestamp(), { type: 'string', format: 'date-time' }],
    ['a boolean', z.boolean(), { type: 'boolean' }],
    ['a choice of words', z.enum(['A', 'B']), { type: 'string', enum: ['A', 'B'] }],
    ['one word', z.literal('A'), { type: 'string', enum: ['A'] }],
    ['a pattern', z.string().regex(/^a+$/), { type: 'string', pattern: '^a+$' }],
    ['null', z.string().nullable(), { type: 'string', nullable: true }],
    [
      'an integer or a string',
      intOrString(),
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    ],
    [
      'a map',
      z.record(z.string(), z.boolean()),
      { type: 'object', additionalProperties: { type: 'boolean' } },
    ],
    ['an object without fields', z.strictObject({}), { type: 'object' }],
    [
      'an optional field and one with a default, both not required',
      z.strictObject({ must: z.string(), may: z.string().optional(), has: int32().default(3) }),
      {
        type: 'object',
        required: ['must'],
        properties: {
          must: { type: 'string' },
          may: { type: 'string' },
          has: { type: 'integer', format: 'int32', default: 3 },
        },
      },
    ],
    [
      'an object that preserves unknown fields',
      embedded({ known: z.string().optional() }),
      {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { known: { type: 'string' } },
      },
    ],
    [
      'a list distinguished by a key',
      listMap(z.strictObject({ name: z.string() }), 'name'),
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
    ],
    [
      'a list whose key has a default',
      listMap(z.strictObject({ protocol: z.string().default('TCP') }), 'protocol'),
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['protocol'],
        items: { type: 'object', properties: { protocol: { type: 'string', default: 'TCP' } } },
      },
    ],
    [
      'rules, description and list type on a list with a bound',
      atomicList(z.string())
        .max(3)
        .describe('Words.')
        .meta(rules(cel('size(self) != 2', 'not two'))),
      {
        description: 'Words.',
        type: 'array',
        maxItems: 3,
        'x-kubernetes-list-type': 'atomic',
        'x-kubernetes-validations': [{ rule: 'size(self) != 2', message: 'not two' }],
        items: { type: 'string' },
      },
    ],
    [
      'an intersection of objects as one object',
      z.intersection(z.strictObject({ a: z.string() }), z.strictObject({ b: z.string() })),
      { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' }, b: { type: 'string' } } },
    ],
    ['the default of a whole object', z.strictObject({}).prefault({}), { type: 'object', default: {} }],
    [
      'anything, where it is marked to be preserved',
      z.unknown().meta({ 'x-kubernetes-preserve-unknown-fields': true }),
      { 'x-kubernetes-preserve-unknown-fields': true },
    ],
  ])('says %s', (_, schema, expected) => {
    expect(toStructural(schema, 'Kind')).toEqual(expected);
  });

  it.each<readonly [string, z.ZodType, string]>([
    [
      'a union',
      z.strictObject({ a: z.union([z.string(), z.boolean()]) }),
      'Kind.a: a union is not structural',
    ],
    [
      'a discriminated union',
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('a') }),
        z.strictObject({ kind: z.literal('b') }),
      ]),
      'Kind: a structural schema cannot express oneOf',
    ],
    [
      'an intersection of more than objects',
      z.intersection(z.string(), z.record(z.string(), z.string())),
      'Kind',
    ],
    ['a tuple', z.tuple([z.string()]), 'Kind'],
    ['an untyped field', z.strictObject({ a: z.unknown() }), 'Kind.a: has no type'],
    [
      'an object that lets fields be dropped',
      z.strictObject({ a: z.looseObject({}) }),
      'Kind.a: allows any field',
    ],
    ['an object that ignores fields', z.object({}), 'Kind: allows any field'],
    [
      'a map with a schema for its keys',
      z.record(z.string().regex(/^a$/), z.string()),
      'cannot express propertyNames',
    ],
    [
      'a map with a choice of keys',
      z.partialRecord(z.enum(['a']), z.string()),
      'cannot express propertyNames',
    ],
    [
      'a named schema that becomes a reference',
      z.strictObject({ a: recursive() }),
      'cannot express definitions',
    ],
    [
      'an integer without bounds',
      z.strictObject({ a: z.array(z.number().multipleOf(1).int().meta({ minimum: '' })) }),
      'Kind.a[]: is an integer without bounds',
    ],
    ['a look-ahead', z.string().regex(/^(?!a)b$/), 'looks around or back'],
    ['a look-behind', z.string().regex(/(?<=a)b$/), 'looks around or back'],
    ['a back reference', z.string().regex(/^(a)\1$/), 'looks around or back'],
    [
      'a list key that may be absent',
      listMap(z.strictObject({ name: z.string().optional() }), 'name'),
      'the list key name must be a required field of the items or have a default',
    ],
    ['a list key that is no field', listMap(z.strictObject({}), 'name'), 'the list key name must be'],
    [
      'a keyword of nobody',
      z.string().meta({ 'x-kubernetes-validation': [] }),
      'cannot express x-kubernetes-validation',
    ],
  ])('refuses %s', (_, schema, message) => {
    expect(() => toStructural(schema, 'Kind')).toThrow(message);
  });
});

function recursive(): z.ZodType {
  const node: z.ZodType = z.strictObject({ next: z.lazy(() => node).optional() });
  return node;
}
