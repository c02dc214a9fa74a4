import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kinds as installed, objectSchema } from './index.ts';

/** Without those that the operator alone writes. */
const kinds = installed.filter(({ resource }) => resource.kind !== 'ExtendedDaemonSetReplicaSet');

const folder = join(import.meta.dirname, '../../../../examples');
const schemas = new Map(kinds.map((kind) => [kind.resource.kind, objectSchema(kind)]));
const groups = new Set(kinds.map((kind) => kind.resource.group));

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const documents = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => {
      for (const error of document.errors) throw error;
      const manifest = document.toJS() as Manifest;
      return [file, manifest.kind, manifest.metadata.name, manifest] as const;
    }),
  );

describe('the examples', () => {
  it('show every kind', () => {
    expect(new Set(documents.map(([, kind]) => kind))).toEqual(
      new Set(['ConfigMap', 'DaemonSet', ...schemas.keys()]),
    );
  });

  it.each(documents.filter(([, , , { apiVersion }]) => groups.has(apiVersion.split('/')[0] ?? '')))(
    'in %s hold a %s %s that its schema accepts',
    (_file, kind, _name, manifest) => {
      expect(schemas.get(kind)?.safeParse(manifest).error?.issues).toBeUndefined();
    },
  );

  it('do not pass a misspelt field', () => {
    const [, kind = '', , manifest] = documents.find(([, each]) => each === 'NodePool') ?? [];
    expect(schemas.get(kind)?.safeParse({ ...manifest, spec: { taint: [] } }).success).toBe(false);
  });
});
