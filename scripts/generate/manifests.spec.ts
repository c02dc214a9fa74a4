import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { operatorObjects } from '@atoll/api/install';
import { installObjects } from '@atoll/operator/install';
import { chartFolder } from './chart.ts';
import { installFile, manifests, optionalFolder } from './manifests.ts';

const root = join(import.meta.dirname, '..', '..');

it.each(manifests().map(({ path, text }) => [path, text] as const))(
  '%s is as it would be generated',
  (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  },
);

// Flux leaves links out of what it takes from git: the chart then renders without definitions and alerts, and nothing says so.
it('the chart has no links', () => {
  const entries = readdirSync(join(root, chartFolder), { recursive: true, withFileTypes: true });
  expect(entries.length).toBeGreaterThan(20);
  expect(entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name)).toEqual([]);
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function objectsOf(isWanted: (path: string) => boolean): readonly unknown[] {
  const wanted = manifests().filter(({ path }) => isWanted(path));
  return wanted.flatMap(({ text }) => parseAllDocuments(text).map(plain));
}

it('hold exactly what is installed, but for what is optional', () => {
  const others = [optionalFolder, chartFolder, installFile];
  const written = objectsOf((path) => !others.some((other) => path.startsWith(other)));
  expect(written).toEqual(plain(installObjects().map(({ object }) => object)));
});

it(`${installFile} holds that and the operator`, () => {
  const all = [...installObjects(), ...operatorObjects()].map(({ object }) => object);
  expect(objectsOf((path) => path === installFile)).toEqual(plain(all));
});
