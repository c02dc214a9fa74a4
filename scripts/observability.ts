import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './checks.ts';

export const observabilityFolder = join(root, 'deploy', 'observability');

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert?: string;
      readonly record?: string;
      readonly expr: string;
      readonly annotations?: Readonly<Record<string, string>>;
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

export const alertRules = (): RuleFile['groups'][number]['rules'] =>
  (parse(readFileSync(join(observabilityFolder, 'rules.yaml'), 'utf8')) as RuleFile).groups.flatMap(
    ({ rules }) => rules,
  );

/** Every query of the rules and the dashboard, with where it stands. */
export function queries(): readonly { readonly where: string; readonly query: string }[] {
  const dashboard = JSON.parse(
    readFileSync(join(observabilityFolder, 'dashboard.json'), 'utf8'),
  ) as Dashboard;
  return [
    ...alertRules().map(({ alert, record, expr }) => ({ where: alert ?? record ?? '', query: expr })),
    ...dashboard.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ where: `panel ${title}`, query: expr })),
    ),
  ];
}

/** The metrics that a query reads; those that rules record are left out. */
export function metricsOf(query: string): readonly string[] {
  const withoutLabels = query
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\b(by|without) \([^)]*\)/g, '');
  const names = withoutLabels.match(/[a-zA-Z_:][a-zA-Z0-9_:]*(?!\w*\s*\()/g) ?? [];
  return names.filter((name) => name.includes('_') && !name.includes(':') && !functions.has(name));
}

/** The labels that a query takes from each metric that it reads: those that it matches, and those by which it groups. */
export function labelsOf(
  query: string,
): readonly { readonly metric: string; readonly labels: readonly string[] }[] {
  const matched = [...query.matchAll(/([a-z_]\w*)\{([^}]*)\}/g)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
  const grouped = [...query.matchAll(/\bby \(([^)]*)\) \(/g)].flatMap(
    ({ 0: found, 1: names = '', index }) => {
      const labels = names.split(',').map((name) => name.trim());
      return metricsOf(inParentheses(query, index + found.length)).map((metric) => ({ metric, labels }));
    },
  );
  return [...matched, ...grouped];
}

/** What stands from a place behind `(` to its `)`. */
function inParentheses(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at += 1) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return text.slice(from, at - 1);
}

const functions = new Set(['histogram_quantile']);
