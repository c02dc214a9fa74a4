import { kinds, toStructural, type StructuralSchema } from '@atoll/api/schema';
import { describe, expect, it } from 'vitest';
import { allowedValues, fieldType, kubernetesShape } from './field-type.ts';
import { fieldPages } from './field-pages.ts';

function* names(schema: StructuralSchema): Generator<string> {
  if (kubernetesShape(schema) !== undefined) return;
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    yield name;
    yield* names(child);
  }
  if (schema.items !== undefined) yield* names(schema.items);
  if (schema.additionalProperties !== undefined) yield* names(schema.additionalProperties);
}

const pages = kinds.map((kind, index) => ({
  kind,
  name: kind.resource.kind,
  text: fieldPages()[index]?.text ?? '',
}));

describe.each(pages)('the page of $name', ({ kind, text }) => {
  it('has a row with a meaning for every field', () => {
    for (const schema of [kind.spec, kind.status].map((part) => toStructural(part, ''))) {
      for (const name of names(schema))
        expect(text).toMatch(new RegExp(`^\\| \`${name}\` \\|.*\\| [^| ].* \\|$`, 'm'));
    }
  });

  it('has no table that is too long to be read', () => {
    const rows = text
      .split(/^#+ /m)
      .map((part) => part.split('\n').filter((line) => line.startsWith('| `')).length);
    expect(Math.max(...rows)).toBeLessThan(20);
  });

  it('names every version, and where the fields are explained', () => {
    for (const { name } of kind.versions) expect(text).toContain(name);
    expect(text).toMatch(/\[\w[\w ]+\]\(\.\.\/[a-z-]+\.md\)/);
  });
});

it('the page of NodePool names the fields that are only kept, and those that are not it does not', () => {
  const [line = ''] = /^- Kept for other programs.*$/m.exec(pages[0]?.text ?? '') ?? [];
  expect(line).toContain('`spec.leaderReplicas`');
  expect(line).not.toContain('`spec.hostNetwork`');
});

describe('the type of a field', () => {
  const link = (): string => '#there';
  const text: StructuralSchema = { type: 'string' };
  it.each([
    ['string', text],
    ['time', { type: 'string', format: 'date-time' }],
    ['duration', { ...text, 'x-kubernetes-validations': [{ rule: '', message: 'must be a duration of' }] }],
    ['as in Kubernetes', { 'x-kubernetes-preserve-unknown-fields': true }],
    ['number or percentage', { 'x-kubernetes-int-or-string': true }],
    ['list of string, each once', { type: 'array', items: text, 'x-kubernetes-list-type': 'set' }],
    [
      'map of [object](#there)',
      { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
    ],
  ] satisfies readonly (readonly [string, StructuralSchema])[])('is %s', (words, schema) => {
    expect(fieldType(schema, link)).toBe(words);
  });

  it('comes with its bounds', () => {
    expect(allowedValues({ enum: ['', 'Manual'] })).toBe('`""`, `Manual`');
    expect(allowedValues({ minimum: 1, maxItems: 3 })).toBe('at least 1; at most 3 entries');
    expect(allowedValues({ minimum: 0, maximum: 5 })).toBe('0 to 5');
  });
});
