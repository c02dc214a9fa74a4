import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './checks.ts';
import { objectGauges, registeredMetrics, type DeclaredMetric } from './generate/metric-labels.ts';
import { alertRules, labelsOf, metricsOf, observabilityFolder, queries } from './observability.ts';

/** What Node and the process export is prom-client's own. */
const declared: readonly DeclaredMetric[] = [...(await registeredMetrics()), ...objectGauges()];
const labelsByName = new Map(declared.map(({ name, labels }) => [name, labels]));
/** Given by Prometheus where it scrapes, as the ServiceMonitor of the chart lets it; and those of a bucket. */
const givenLabels = ['namespace', 'pod', 'service', 'le'];

const baseName = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

describe('queries', () => {
  const all = queries().map(({ where, query }) => [where, query] as const);

  it.each(all)('%s reads metrics that the operator has', (_, query) => {
    const unknown = metricsOf(query)
      .map(baseName)
      .filter((name) => !labelsByName.has(name) && !name.startsWith('process_'));
    expect(metricsOf(query).length + (query.includes('atoll:') ? 1 : 0)).toBeGreaterThan(0);
    expect(unknown).toEqual([]);
  });

  it.each(all)('%s takes labels that these metrics have', (_, query) => {
    const unknown = labelsOf(query).flatMap(({ metric, labels }) => {
      const known = [...givenLabels, ...(labelsByName.get(baseName(metric)) ?? [])];
      return labels.filter((label) => !known.includes(label)).map((label) => `${metric}: ${label}`);
    });
    expect(unknown).toEqual([]);
  });

  it.each([
    ['a{x="1", y=~"2|3"}', [{ metric: 'a', labels: ['x', 'y'] }]],
    ['sum by (x, y) (rate(a_total[5m])) > 0', [{ metric: 'a_total', labels: ['x', 'y'] }]],
    [
      'max by (x) (a_b) - max by (y) (c_d{z="1"})',
      [
        { metric: 'c_d', labels: ['z'] },
        { metric: 'a_b', labels: ['x'] },
        { metric: 'c_d', labels: ['y'] },
      ],
    ],
  ])('the labels of %s are read', (query, labels) => {
    expect(labelsOf(query)).toEqual(labels);
  });
});

describe('alerts', () => {
  const alerts = alertRules().flatMap(({ alert, annotations }) =>
    alert === undefined ? [] : [{ alert, annotations }],
  );
  const page = readFileSync(join(root, 'docs/operating/alerts.md'), 'utf8');
  const tests = readFileSync(join(observabilityFolder, 'rules.test.yaml'), 'utf8');

  it.each(alerts.map(({ alert, annotations }) => [alert, annotations] as const))(
    '%s has a section for who is called at night, and a test',
    (alert, annotations) => {
      expect(page).toContain(`\n## ${alert}\n`);
      expect(annotations?.['runbook']).toBe(`docs/operating/alerts.md#${alert.toLowerCase()}`);
      expect(annotations?.['summary']).not.toBe('');
      expect(tests).toContain(alert);
    },
  );
});
