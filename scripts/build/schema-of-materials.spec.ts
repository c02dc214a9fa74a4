import { describe, expect, it } from 'vitest';
import { againstCycloneDx } from './schema-of-materials.ts';

const component = { 'bom-ref': 'a@1.0.0', type: 'library', name: 'a', version: '1.0.0' };
const document = { bomFormat: 'CycloneDX', specVersion: '1.5', components: [component] };
const said = (changes: object): readonly string[] =>
  againstCycloneDx(JSON.stringify({ ...document, ...changes }));

describe('the official schema of CycloneDX', () => {
  it('accepts a list of components', () => {
    expect(said({})).toEqual([]);
  });

  it.each([
    [{ components: [{ ...component, type: 'package' }] }, '/components/0/type must be equal to one of'],
    [{ components: [component, component] }, '/components must NOT have duplicate items'],
    [
      { components: [{ ...component, hashes: [{ alg: 'SHA-512', content: 'no hex' }] }] },
      '/hashes/0/content must match',
    ],
    [{ components: [{ ...component, licenses: [{ license: { id: 'mit' } }] }] }, '/license/id must be equal'],
    [{ packages: [] }, 'must NOT have additional properties'],
  ])('refuses %j', (changes, problem) => {
    expect(said(changes).join('\n')).toContain(problem);
  });
});
