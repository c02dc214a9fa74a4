import { styleText } from 'node:util';
import type { FleetState, WorkloadState } from './fleet-state.ts';

/** The live view: a table of pools and a table of workloads with one line for each pool's child. */
export function renderFleet(state: FleetState, seconds: number): readonly string[] {
  const pools = table(
    ['POOL', 'NODES', 'TAINTS'],
    state.pools.map((pool) => [
      pool.name,
      `${pool.readyNodes}/${pool.nodes} ready`,
      pool.taints.join(', ') || '-',
    ]),
  );
  const workloads = state.workloads.flatMap((workload) => ['', ...renderWorkload(workload)]);
  return [styleText('bold', `Atoll · ${seconds} s`), '', ...pools, ...workloads];
}

function renderWorkload(workload: WorkloadState): readonly string[] {
  const mark = workload.ready ? styleText('green', '✔') : styleText('yellow', '…');
  const why = workload.ready
    ? 'Ready'
    : [workload.reason, workload.message].filter((part) => part !== '').join(': ');
  const rows = workload.children.map((child) => [
    `  ${child.pool}`,
    child.workloadName,
    bar(child.updated, child.ready, child.replicas),
    `${child.updated} updated, ${child.ready} ready of ${child.replicas}`,
  ]);
  return [
    `${mark} ${workload.kind} ${workload.namespace}/${workload.name}  ${workload.image}`,
    `  ${why}`,
    ...align(rows),
  ];
}

/** One sign a replica: updated and ready, only updated, neither. */
function bar(updated: number, ready: number, replicas: number): string {
  const shown = Math.min(replicas, 10);
  const done = Math.min(updated, ready, shown);
  const begun = Math.min(Math.max(updated, ready), shown);
  return styleText('green', '■'.repeat(done)) + '▪'.repeat(begun - done) + '·'.repeat(shown - begun);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return align([header, ...rows]).map((line, index) => (index === 0 ? styleText('dim', line) : line));
}

function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, visibleWidth(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - visibleWidth(cell)))
      .join('   ')
      .trimEnd(),
  );
}

function visibleWidth(text: string): number {
  // oxlint-disable-next-line no-control-regex -- colour codes take no room
  return Array.from(text.replace(/\u001b\[\d+m/g, '')).length;
}
