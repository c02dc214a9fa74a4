import { describe, expect, it } from 'vitest';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { kinds } from './kinds.ts';
import type { StructuralSchema } from './to-structural.ts';

const definitions = kinds.map((kind) => [kind.resource.kind, kind, customResourceDefinition(kind)] as const);

function* fields(schema: StructuralSchema, path: string): Generator<readonly [string, StructuralSchema]> {
  yield [path, schema];
  for (const [name, child] of Object.entries(schema.properties ?? {}))
    yield* fields(child, `${path}.${name}`);
  if (schema.items !== undefined) yield* fields(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) yield* fields(schema.additionalProperties, `${path}.*`);
}

const stages = ['alpha', 'beta', undefined];

/** Versions that are stable first, then beta, then alpha, of each the latest first. Source: apimachinery's version.CompareKubeAwareVersionStrings. */
function byPriority(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => {
    const [, major, stage, minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name) ?? [];
    return [stages.indexOf(stage), Number(major), Number(minor)];
  });
  const differs = [0, 1, 2].find((part) => left?.[part] !== right?.[part]) ?? 0;
  return (right?.[differs] ?? 0) - (left?.[differs] ?? 0);
}

describe.each(definitions)('the CustomResourceDefinition of %s', (name, kind, crd) => {
  const schemas = crd.spec.versions.map((version) => version.schema?.openAPIV3Schema as StructuralSchema);
  const [schema = {}] = schemas;

  it('has one schema for all versions, so that no round trip loses a field', () => {
    for (const other of schemas) expect(other).toEqual(schema);
    expect(crd.spec.conversion).toEqual({ strategy: 'None' });
  });

  it('serves every version and stores the one that we read and write', () => {
    expect(crd.spec.versions.every(({ served }) => served)).toBe(true);
    const stored = crd.spec.versions.filter(({ storage }) => storage).map((version) => version.name);
    expect(stored).toEqual([kind.resource.version]);
  });

  it('has the highest of its versions as the preferred one, as kubectl and the API server order them', () => {
    const { version, preferredVersion = version } = kind.resource;
    expect(crd.spec.versions.map((each) => each.name).toSorted(byPriority)[0]).toBe(preferredVersion);
  });

  it('is named after its plural and group, as the API server demands', () => {
    expect(crd.metadata.name).toBe(`${kind.resource.plural}.${kind.resource.group}`);
    expect(crd.spec.scope).toBe(kind.resource.namespaced ? 'Namespaced' : 'Cluster');
    expect(crd.spec.names.kind).toBe(name);
  });

  it('gives every rule a message for people', () => {
    const messages = [...fields(schema, name)].flatMap(([path, field]) =>
      (field['x-kubernetes-validations'] ?? []).map(({ message }) => `${path}: ${message}`),
    );
    expect(messages).not.toEqual([]);
    expect(
      messages.filter((message) => !/: [a-z].{10,}$/.test(message) || /self|has\(/.test(message)),
    ).toEqual([]);
  });

  it('bounds every map and list that a rule walks over', () => {
    const walked = [...fields(schema, name)].filter(([, field]) =>
      field['x-kubernetes-validations']?.some(({ rule }) => /^!?self\.(?:all|exists)\(/.test(rule)),
    );
    expect(walked).not.toEqual([]);
    const unbounded = walked.filter(([, field]) => (field.maxProperties ?? field.maxItems) === undefined);
    expect(unbounded.map(([path]) => path)).toEqual([]);
  });

  it('has columns whose paths name fields, so that none is always empty (BUG-21)', () => {
    const known = new Set([...fields(schema, '')].map(([path]) => path));
    const plain = crd.spec.versions
      .flatMap(({ additionalPrinterColumns = [] }) =>
        additionalPrinterColumns.map(({ jsonPath }) => jsonPath),
      )
      .filter((path) => /^[.\w]+$/.test(path) && !path.startsWith('.metadata.'));
    expect(plain).not.toEqual([]);
    expect(plain.filter((path) => !known.has(path))).toEqual([]);
  });

  it('fits into the annotation in which a client-side `kubectl apply` keeps it (BUG-26)', () => {
    // Source: apimachinery's TotalAnnotationSizeLimitB, for all annotations together. Go writes these three as \u003c and the like.
    const kept = JSON.stringify(crd).replaceAll(/[<>&]/g, '\\u0000');
    expect(Buffer.byteLength(kept)).toBeLessThan(262_144 - 1_000);
  });

  it('describes every field for `kubectl explain`', () => {
    // The API server describes the metadata, and shows items and values with their list or map.
    const named = [...fields(schema, '')].filter(([path]) => !/^$|^\.metadata\b|\[\]$|\.\*$/.test(path));
    expect(named.length).toBeGreaterThan(10);
    const bare = named.filter(([, { description = '' }]) => !/^\S.*\S$/.test(description));
    expect(bare.map(([path]) => path)).toEqual([]);
  });

  it('describes the fields of every template for `kubectl explain`', () => {
    const templates = [...fields(schema, name)].filter(([path]) => path.endsWith('emplate.spec'));
    const kindsWithTemplates = !name.startsWith('NodePool') && !name.startsWith('ExtendedDaemonsetSetting');
    expect(templates.length > 0).toBe(kindsWithTemplates);
    for (const [path, { description = '', properties = {} }] of templates) {
      expect([path, description]).not.toEqual([path, '']);
      expect([path, Object.keys(properties).length > 2]).toEqual([path, true]);
    }
    const pods = templates.filter(([path]) => path.endsWith('.template.spec'));
    for (const [, { properties = {} }] of pods) expect(properties).toHaveProperty('containers.description');
  });
});
