import { styleText } from 'node:util';
import type { ChildState, FleetState, PoolState, WorkloadState } from './fleet-state.ts';
import { visibleWidth } from '../terminal/fit-text.ts';
import { progressOf } from './narrate-fleet.ts';

/**
 * The live view: a table of pools, and each workload with one line for what it runs in each pool or subset. Where there is no room for
 * that (`room`, in lines), workloads that are not Ready stand first, then those that changed last (`newest`, by `idOf`), and the others
 * are one line each; of the places of one, the worst stand first.
 */
export function renderFleet(
  state: FleetState,
  seconds: number,
  room = Infinity,
  newest: readonly string[] = [],
): readonly string[] {
  const nodes = state.pools.reduce((sum, pool) => sum + pool.nodes, 0);
  const title = styleText(
    'bold',
    `Atoll · ${count(state.pools.length, 'pool')} · ${count(nodes, 'node')} · ${seconds} s`,
  );
  const pools = table(
    ['POOL', 'NODES', 'TAINTS'],
    state.pools.map((pool) => [pool.name, nodesOf(pool), pool.taints.join(', ') || '-']),
  );
  const whole = [
    title,
    '',
    ...pools,
    ...state.workloads.flatMap((workload) => ['', headOf(workload), ...rowsOf(workload.children)]),
  ];
  if (whole.length <= room) return whole;
  const tables = [
    [title, '', ...pools, ''],
    [title, ...pools],
    [title, poolsInOneLine(state)],
  ];
  const top = tables.find((each) => each.length + state.workloads.length <= room) ?? tables.at(-1) ?? [];
  const lines = [...top];
  let left = room - top.length - state.workloads.length;
  for (const workload of byUrgency(state.workloads, newest)) {
    const rows = fewRows(workload, left);
    left -= rows.length;
    lines.push(headOf(workload), ...rows);
  }
  return lines;
}

/** Names a workload among all of the view. */
export function idOf({ kind, namespace, name }: WorkloadState): string {
  return `${kind} ${namespace}/${name}`;
}

function byUrgency(workloads: readonly WorkloadState[], newest: readonly string[]): readonly WorkloadState[] {
  const rank = (workload: WorkloadState): number => {
    const age = newest.indexOf(idOf(workload));
    return (workload.ready ? newest.length + 1 : 0) + (age === -1 ? newest.length : age);
  };
  return workloads.toSorted((a, b) => rank(a) - rank(b));
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function nodesOf({ nodes, readyNodes }: PoolState): string {
  return nodes === 0 ? 'none yet' : `${readyNodes}/${nodes} ready`;
}

function poolsInOneLine({ pools }: FleetState): string {
  const worst = pools.toSorted((a, b) => Number(isWhole(a)) - Number(isWhole(b)));
  return worst.map((pool) => `${pool.name} ${nodesOf(pool)}`).join(', ');
}

function isWhole({ nodes, readyNodes }: PoolState): boolean {
  return nodes > 0 && readyNodes === nodes;
}

function headOf(workload: WorkloadState): string {
  const mark = workload.ready ? styleText('green', '✔') : styleText('yellow', '…');
  const { image, reason, message } = workload;
  // Whole sentences read better than reasons, and a narrow window cuts the end.
  const how = workload.ready ? 'Ready' : message || reason;
  return `${mark} ${styleText('bold', idOf(workload))}  ${image}  ${how}`;
}

function rowsOf(children: readonly ChildState[]): readonly string[] {
  return align(
    children.map((child) => [
      `    ${child.place}`,
      child.workloadName,
      bar(child.updated, child.ready, child.replicas),
      progressOf(child),
    ]),
  );
}

/** At most `room` lines for the places of a workload, the worst first. */
function fewRows({ children, places }: WorkloadState, room: number): readonly string[] {
  if (children.length <= room) return rowsOf(children);
  if (room < 2) return [];
  const worst = children.toSorted((a, b) => Number(isDone(a)) - Number(isDone(b)));
  const shown = worst.slice(0, room - 1);
  const more = worst.slice(shown.length);
  const open = more.filter((child) => !isDone(child)).length;
  return [
    ...rowsOf(shown),
    `    … ${count(more.length, `more ${places}`)}${open === 0 ? ', all ready' : `, ${open} of them not ready`}`,
  ];
}

function isDone({ replicas, ready, updated }: ChildState): boolean {
  return replicas > 0 && ready >= replicas && updated >= replicas;
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
