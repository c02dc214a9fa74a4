import { createClient, loadKubeconfig, type StreamingClient } from '@atoll/kube';
import { listNodes } from '../fleet/nodes.ts';
import { isRunning } from '../supervisor/process-identity.ts';
import { readProcessRecord } from '../supervisor/process-record.ts';
import {
  findControlPlane,
  controlPlaneDirectory,
  type RegisteredControlPlane,
} from './registered-control-plane.ts';

export interface ControlPlaneStatus {
  readonly name: string;
  /** `Broken`: it was up, and its API server does not answer or one of its programs has ended. */
  readonly state: 'Ready' | 'Starting' | 'Broken';
  readonly url?: string;
  readonly kubeconfig?: string;
  readonly since?: string;
  readonly until?: string;
  /** One that has ended may have no `pid` any more. */
  readonly components: readonly { readonly name: string; readonly pid?: number; readonly running: boolean }[];
  readonly nodes?: {
    readonly ready: number;
    readonly total: number;
    readonly pools: Readonly<Record<string, number>>;
  };
}

export async function statusOf(name: string, signal: AbortSignal): Promise<ControlPlaneStatus> {
  const programs = readProcessRecord(controlPlaneDirectory(name))?.programs ?? [];
  const controlPlane = findControlPlane(name);
  const recorded = programs.map((program) => ({
    name: program.name,
    pid: program.pid,
    running: isRunning(program),
  }));
  if (controlPlane === undefined) return { name, state: 'Starting', components: recorded };
  // The record is of those that run.
  const ended = controlPlane.programs.filter((each) => !recorded.some((found) => found.name === each));
  const components = [...recorded, ...ended.map((each) => ({ name: each, running: false }))];
  const { url, kubeconfig, since, until } = controlPlane;
  const known = { name, url, kubeconfig, since, ...(until === undefined ? {} : { until }), components };
  const nodes = await countNodes(controlPlane, signal);
  const isWhole = nodes !== undefined && components.every(({ running }) => running);
  return { ...known, state: isWhole ? 'Ready' : 'Broken', ...(nodes === undefined ? {} : { nodes }) };
}

export function formatStatus(status: ControlPlaneStatus): string {
  const lines = [`${status.name}: ${status.state}`];
  const { nodes } = status;
  if (status.url !== undefined) lines.push(`  API server  ${status.url}`);
  if (status.kubeconfig !== undefined) lines.push(`  kubeconfig  ${status.kubeconfig}`);
  if (status.since !== undefined) lines.push(`  up since    ${status.since}`);
  if (status.until !== undefined) lines.push(`  lease until ${status.until}`);
  if (nodes !== undefined) {
    const pools = Object.entries(nodes.pools).map(([pool, count]) => `${pool} ${count}`);
    lines.push(
      `  nodes       ${nodes.ready} of ${nodes.total} Ready${pools.length === 0 ? '' : ` (${pools.join(', ')})`}`,
    );
  }
  for (const { name, pid, running } of status.components) {
    lines.push(`  ${name}${pid === undefined ? '' : ` (process ${pid})`}${running ? '' : ' has ended'}`);
  }
  return lines.join('\n');
}

/** A client for the control plane's administrator, closed after the work, and when the signal ends: the work rejects then. */
export async function withAdministrator<T>(
  { kubeconfig }: Pick<RegisteredControlPlane, 'kubeconfig'>,
  work: (client: StreamingClient) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const client = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'atoll-testbed' });
  const close = (): void => void client.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    signal.throwIfAborted();
    return await work(client);
  } finally {
    signal.removeEventListener('abort', close);
    await client.close();
  }
}

async function countNodes(
  controlPlane: RegisteredControlPlane,
  signal: AbortSignal,
): Promise<ControlPlaneStatus['nodes']> {
  try {
    const nodes = await withAdministrator(controlPlane, listNodes, signal);
    const pools: Record<string, number> = {};
    for (const { pool } of nodes) if (pool !== undefined) pools[pool] = (pools[pool] ?? 0) + 1;
    return { ready: nodes.filter((node) => node.ready).length, total: nodes.length, pools };
  } catch {
    // That it was not waited for says nothing about the API server.
    signal.throwIfAborted();
    return undefined;
  }
}
