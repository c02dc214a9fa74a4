import type { ChildState, FleetState, WorkloadState } from './fleet-state.ts';

/** What changed between two moments, as plain lines: for logs, pipes and terminals without cursor movement. */
export function narrateFleet(before: FleetState | undefined, after: FleetState): readonly string[] {
  const old = new Set(before === undefined ? [] : linesOf(before));
  return linesOf(after).filter((line) => !old.has(line));
}

function linesOf(state: FleetState): readonly string[] {
  const lines: string[] = [];
  for (const { name, nodes, readyNodes } of state.pools) {
    lines.push(`pool ${name}: ${nodes === 0 ? 'no nodes yet' : `${readyNodes} of ${nodes} nodes ready`}`);
  }
  for (const workload of state.workloads) {
    const subject = `${workload.kind} ${workload.namespace}/${workload.name}`;
    for (const child of workload.children)
      lines.push(
        `${subject} ${workload.places === 'node' ? 'on' : 'in'} ${workload.places} ${child.place}: ${progressOf(child)}`,
      );
    lines.push(`${subject} with ${workload.image}: ${explain(workload)}`);
  }
  return lines;
}

/** How far one child is, in words. */
export function progressOf({ replicas, ready, updated }: ChildState): string {
  if (replicas === 0) return 'no pods yet';
  const pods = `${ready} of ${replicas} ${replicas === 1 ? 'pod' : 'pods'} ready`;
  return updated < replicas ? `${pods}, ${updated} of the new template` : pods;
}

/** Why a workload is not Ready, in its own words. */
function explain({ ready, reason, message }: WorkloadState): string {
  if (ready) return 'Ready';
  return [reason, message].filter((part) => part !== '').join(': ');
}
