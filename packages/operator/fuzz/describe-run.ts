import type { FuzzBatch } from './fuzz-report.ts';

const mostLines = 20;

/** A line for the batch, and a line for each thing that is wrong in it. */
export function describeBatch({
  batch,
  taken,
  refused,
  changed,
  faulty,
  writes,
  answeredMs,
  servedMs,
  megabytes,
  wrong,
  evidence,
}: FuzzBatch): string {
  const line =
    `batch ${batch}: ${taken} taken, ${refused} refused, ${changed} changed and changed back (${faulty} of them faulty), ${writes} writes of the operator, all answered after ` +
    `${(answeredMs / 1000).toFixed(1)} s, others served after ${(servedMs / 1000).toFixed(1)} s, ${megabytes} MB`;
  const more = wrong.length > mostLines ? [`  and ${wrong.length - mostLines} more`] : [];
  const kept = evidence === undefined ? [] : [`  audit log, pods and logs of the batch: ${evidence}`];
  return [
    line,
    ...wrong.slice(0, mostLines).map((each) => `  WRONG: ${each.slice(0, 2_000)}`),
    ...more,
    ...kept,
  ].join('\n');
}
