// Samples of the documents. Those of Atoll's kinds are applied too; those of Argo CD, Flux, cert-manager and Prometheus are not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { kindDefinitions } from '@atoll/operator/install';
import { operatorCommand } from '../../packages/operator/src/start-up/options/operator-options.ts';
import { chartFolder } from '../generate/chart.ts';
import { documentPaths, root } from './documents.ts';

type Values = Readonly<Record<string, unknown>>;

interface Sample {
  readonly path: string;
  readonly line: string;
  readonly text: string;
}

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

const samples = documentPaths().flatMap((path): readonly Sample[] => {
  const found = path.endsWith('.md') ? textOf(path).matchAll(/^```ya?ml\n(([^\n]*)[\s\S]*?)^```/gm) : [];
  return [...found].map(([, text = '', line = '']) => ({ path, line, text }));
});

it.each(samples)('$path: $line … is YAML', ({ text }) => {
  const problems = parseAllDocuments(text).flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  expect(problems).toEqual([]);
});

it('what Argo CD and Flux are given are values of the chart', () => {
  const { $schema: _, ...schema } = JSON.parse(textOf(`${chartFolder}/values.schema.json`)) as Values;
  const defaults = parse(textOf(`${chartFolder}/values.yaml`)) as Values;
  const fits = new Ajv({ strict: false }).compile(schema);
  const given = samples
    .filter(({ path }) => path === 'docs/operating/gitops.md')
    .flatMap(({ text }) => parseAllDocuments(text).map((document) => valuesIn(document.toJS())))
    .filter((values) => values !== undefined);
  expect(given).toHaveLength(2);
  for (const values of given) expect([fits(over(defaults, values)), fits.errors]).toEqual([true, null]);
  expect(fits(over(defaults, { image: { repo: 'registry.example.com/atoll-operator' } }))).toBe(false);
});

it('the arguments of a container are flags of the operator', () => {
  const page = textOf('docs/operating/webhook.md');
  const flags = [...page.matchAll(/^ +- (--[a-z-]+)=/gm)].map(([, flag = '']) => flag);
  const known = operatorCommand('', kindDefinitions).options.map(({ long }) => long);
  expect(flags).toHaveLength(2);
  expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
});

/** Of an Application of Argo CD, or a HelmRelease of Flux. */
function valuesIn(object: unknown): Values | undefined {
  const { spec } = object as { readonly spec?: { readonly values?: Values; readonly source?: Source } };
  return spec?.values ?? spec?.source?.helm?.valuesObject;
}

interface Source {
  readonly helm?: { readonly valuesObject?: Values };
}

/** As Helm puts values over those of the chart. */
function over(defaults: Values, values: Values): Values {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const put = ([key, value]: readonly [string, unknown]): readonly [string, unknown] => {
    const before = defaults[key];
    return [key, isMap(before) && isMap(value) ? over(before, value) : value];
  };
  return { ...defaults, ...Object.fromEntries(Object.entries(values).map((entry) => put(entry))) };
}
