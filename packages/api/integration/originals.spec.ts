// Our definitions beside those that the projects published whose kinds these are: what is stored under them stays readable.
import type { JSONSchemaProps } from '@atoll/kube';
import { originalDefinition, originals, type OriginalProject } from '@atoll/testbed';
import { describe, expect, it } from 'vitest';
import { customResourceDefinition } from '../src/schema/custom-resource-definition.ts';
import { kinds } from '../src/schema/kinds.ts';

const { extendedDaemonSet, openKruise, openYurt, yurtAppManager } = originals;

/** Without these the old operators did nothing with an object, or ended. */
const workload = ['spec', 'spec.workloadTemplate'];
const rows: readonly (readonly [string, OriginalProject, readonly string[]])[] = [
  ['nodepools.apps.openyurt.io', yurtAppManager, []],
  ['nodepools.apps.openyurt.io', openYurt, []],
  ['yurtappdaemons.apps.openyurt.io', yurtAppManager, workload],
  ['yurtappdaemons.apps.openyurt.io', openYurt, workload],
  // Kruise writes no subset's status without its name.
  ['uniteddeployments.apps.kruise.io', openKruise, ['spec', 'spec.template', 'status.subsetStatuses[].name']],
  // The old operator made a spec of what its sample of a replica set lacks, or did nothing with it.
  ['extendeddaemonsets.datadoghq.com', extendedDaemonSet, ['spec']],
  ['extendeddaemonsetreplicasets.datadoghq.com', extendedDaemonSet, ['spec']],
  ['extendeddaemonsetsettings.datadoghq.com', extendedDaemonSet, ['spec']],
];

/** A column of theirs that is always empty, because its path names no field. */
const mendedPaths: Readonly<Record<string, string>> = {
  '.status.ignoredunresponsivenodes': '.status.ignoredUnresponsiveNodes',
};

describe.each(rows)('the definition of %s, beside that of $path', (name, project, required) => {
  const ours = kinds.map(customResourceDefinition).find(({ metadata }) => metadata.name === name);
  if (ours === undefined) throw new Error(`no definition ${name}`);

  it('serves every version under the same names', async () => {
    const { spec } = await originalDefinition(project, name);
    const { shortNames = [], ...names } = spec.names;
    expect(ours.spec).toMatchObject({ group: spec.group, scope: spec.scope });
    expect(ours.spec.names).toMatchObject({
      kind: names.kind,
      listKind: names.listKind,
      plural: names.plural,
      singular: names.singular,
    });
    expect(ours.spec.names.shortNames).toEqual(expect.arrayContaining([...shortNames]));
    const served = ours.spec.versions.map((version) => version.name);
    expect(served).toEqual(expect.arrayContaining(spec.versions.map((version) => version.name)));
  });

  it('loses no field, makes none of another type, and asks for none that could be left out', async () => {
    for (const [theirs, version] of await versions()) {
      const found = compare(theirs.schema?.openAPIV3Schema ?? {}, version?.schema?.openAPIV3Schema ?? {});
      expect(found.filter(({ what }) => what !== 'required')).toEqual([]);
      expect(required).toEqual(expect.arrayContaining(found.map(({ path }) => path)));
    }
  });

  it('prints the same columns first, and has the same subresources (BUG-21)', async () => {
    for (const [theirs, version] of await versions()) {
      const columns = theirs.additionalPrinterColumns ?? [];
      const own = version?.additionalPrinterColumns?.slice(0, columns.length) ?? [];
      expect(own.map(({ name, type, jsonPath }) => [name, type, jsonPath])).toEqual(
        columns.map(({ name, type, jsonPath }) => [name, type, mendedPaths[jsonPath] ?? jsonPath]),
      );
      expect(version?.subresources).toMatchObject(theirs.subresources ?? {});
    }
  });

  async function versions() {
    const { spec } = await originalDefinition(project, name);
    return spec.versions.map(
      (theirs) => [theirs, ours?.spec.versions.find((version) => version.name === theirs.name)] as const,
    );
  }
});

interface Difference {
  readonly what: 'lost' | 'type' | 'merge' | 'values' | 'required';
  readonly path: string;
}

/** What somebody who writes by the first schema would notice of the second. */
function compare(theirs: JSONSchemaProps, ours: JSONSchemaProps, path = ''): readonly Difference[] {
  if (ours['x-kubernetes-preserve-unknown-fields'] === true) return [];
  const differences: Difference[] = [];
  if (theirs.type !== ours.type) differences.push({ what: 'type', path });
  if (theirs['x-kubernetes-list-type'] !== undefined && mergeOf(theirs) !== mergeOf(ours)) {
    differences.push({ what: 'merge', path });
  }
  if (theirs.enum !== undefined && ours.enum !== undefined && String(theirs.enum) !== String(ours.enum)) {
    differences.push({ what: 'values', path });
  }
  const below = (field: string): string => (path === '' ? field : `${path}.${field}`);
  for (const field of ours.required ?? []) {
    if (theirs.required?.includes(field) !== true) differences.push({ what: 'required', path: below(field) });
  }
  for (const [field, schema] of Object.entries(theirs.properties ?? {})) {
    const own = ours.properties?.[field];
    if (own === undefined) differences.push({ what: 'lost', path: below(field) });
    else differences.push(...compare(schema, own, below(field)));
  }
  for (const [part, sign] of [
    ['items', '[]'],
    ['additionalProperties', '{}'],
  ] as const) {
    const [each, own] = [theirs[part], ours[part]];
    if (!isSchema(each)) continue;
    if (isSchema(own)) differences.push(...compare(each, own, `${path}${sign}`));
    else differences.push({ what: 'lost', path: `${path}${sign}` });
  }
  return differences;
}

/** How server-side apply merges a list. */
function mergeOf(schema: JSONSchemaProps): string {
  return [schema['x-kubernetes-list-type'], ...(schema['x-kubernetes-list-map-keys'] ?? [])].join();
}

function isSchema(value: unknown): value is JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
