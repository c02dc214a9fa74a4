import { cpus, loadavg, totalmem } from 'node:os';
import type { Verdict } from './verdict.ts';

/** What was measured and whether it keeps the promises, as a table for people. */
export function verdictTable(what: string, verdicts: readonly Verdict[]): string {
  const lines = [
    `${what} ${machine()}`,
    '',
    '| | target | measured | |',
    '|---|---|---|---|',
    ...verdicts.map(
      ({ what: each, target, measured, met }) =>
        `| ${each} | ${target} | ${measured} | ${met ? 'met' : 'MISSED'} |`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** What it ran on, and how busy that was. */
export function machine(): string {
  const processors = `${cpus().length} CPUs (${cpus()[0]?.model ?? 'unknown'})`;
  const load = loadavg().map((each) => each.toFixed(1));
  return `${processors}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}; load averages ${load.join(', ')}`;
}
