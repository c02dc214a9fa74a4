import { styleText } from 'node:util';
import type { FleetState, WorkloadState } from './fleet-state.ts';
import { visibleWidth } from '../terminal/fit-text.ts';
import { progressOf } from './narrate-fleet.ts';

/** The live view: a table of pools, and each workload with one line for what it runs in each pool or subset. */
export function renderFleet(state: FleetState, seconds: number): readonly string[] {
  const nodes = state.pools.reduce((sum, pool) => sum + pool.nodes, 0);
  const pools = table(
    ['POOL', 'NODES', 'TAINTS'],
    state.pools.map((pool) => [
      pool.name,
      pool.nodes === 0 ? 'none yet' : `${pool.readyNodes}/${pool.nodes} ready`,
      pool.taints.join(', ') || '-',
    ]),
  );
  const workloads = state.workloads.flatMap((workload) => ['', ...renderWorkload(workload)]);
  const title = `Atoll · ${state.pools.length} pools · ${nodes} nodes · ${seconds} s`;
  return [styleText('bold', title), '', ...pools, ...workloads];
}

function renderWorkload(workload: WorkloadState): readonly string[] {
  const mark = workload.ready ? styleText('green', '✔') : styleText('yellow', '…');
  const { kind, namespace, name, image, reason, message } = workload;
  // Whole sentences read better than reasons, and a narrow window cuts the end.
  const how = workload.ready ? 'Ready' : message || reason;
  const rows = workload.children.map((child) => [
    `    ${child.place}`,
    child.workloadName,
    bar(child.updated, child.ready, child.replicas),
    progressOf(child),
  ]);
  return [`${mark} ${styleText('bold', `${kind} ${namespace}/${name}`)}  ${image}  ${how}`, ...align(rows)];
}

/** One sign a replica: updated and ready, only one of both, neither. */
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
