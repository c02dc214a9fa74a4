import type { FleetState } from './fleet-state.ts';

/** What changed between two moments, as plain lines: for logs, pipes and terminals without cursor movement. */
export function narrateFleet(before: FleetState | undefined, after: FleetState): readonly string[] {
  const old = new Set(before === undefined ? [] : linesOf(before));
  return linesOf(after).filter((line) => !old.has(line));
}

function linesOf(state: FleetState): readonly string[] {
  const lines = state.pools.map((pool) => `pool ${pool.name}: ${pool.readyNodes}/${pool.nodes} nodes ready`);
  for (const workload of state.workloads) {
    const name = `${workload.kind} ${workload.namespace}/${workload.name}`;
    for (const child of workload.children) {
      const { pool, updated, ready, replicas } = child;
      lines.push(
        `${name}: pool ${pool}: ${workload.image}: ${updated} updated, ${ready} ready of ${replicas}`,
      );
    }
    lines.push(`${name}: ${workload.image}: ${workload.ready ? 'Ready' : workload.reason}`);
  }
  return lines;
}
