import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { installObjects } from '@atoll/operator/install';
import { manifests, optionalFolder } from './manifests.ts';

const root = join(import.meta.dirname, '..');

it.each(manifests().map(({ path, text }) => [path, text] as const))(
  '%s is as it would be generated',
  (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  },
);

it('hold exactly what is installed, but for what is optional', () => {
  const applied = manifests().filter(({ path }) => !path.startsWith(optionalFolder));
  const written = applied.flatMap(({ text }) =>
    parseAllDocuments(text).map((document): unknown => JSON.parse(JSON.stringify(document))),
  );
  const installed: unknown = JSON.parse(JSON.stringify(installObjects().map(({ object }) => object)));
  expect(written).toEqual(installed);
});
