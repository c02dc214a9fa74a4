import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './checks.ts';
import { alertRules, metricsOf, observabilityFolder, queries } from './observability.ts';

/** Generated from what the code registers; what Node and the process export is prom-client's own. */
const documented = new Set(
  readFileSync(join(root, 'docs/operating/metrics-and-flags.md'), 'utf8')
    .split('\n')
    .flatMap((line) => /^\| `(\w+)` \| (\S+)/.exec(line)?.slice(1, 2) ?? []),
);

describe('queries', () => {
  it.each(queries().map(({ where, query }) => [where, query] as const))(
    '%s reads metrics that the operator has',
    (_, query) => {
      const unknown = metricsOf(query)
        .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
        .filter((name) => !documented.has(name) && !name.startsWith('process_'));
      expect(metricsOf(query).length + (query.includes('atoll:') ? 1 : 0)).toBeGreaterThan(0);
      expect(unknown).toEqual([]);
    },
  );
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
