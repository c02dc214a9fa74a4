import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** What a child process is to do, as its arguments. */
export interface Task {
  readonly kubeconfig: string;
  readonly what: 'list' | 'events' | 'requests';
  readonly pods: number;
  readonly events: number;
  readonly requests: number;
  /** `namespace/name` of a pod to read. */
  readonly names: readonly string[];
}

export interface Measured {
  /** Milliseconds for the whole of the work. */
  readonly ms: number;
  /** Milliseconds of processor time since the imports were done: other work on the machine disturbs it less. */
  readonly cpuMs: number;
  /** Bytes of resident memory at their highest, the runtime and imports included. */
  readonly peakRss: number;
  /** Connections opened, and the most that were open at the same time. */
  readonly sockets: { readonly opened: number; readonly atOnce: number };
}

export function task(): Task {
  return JSON.parse(process.argv[2] ?? '{}') as Task;
}

const sockets = { opened: 0, atOnce: 0, open: 0 };

let cpuBefore = process.cpuUsage();

/** To be called after the imports and before the first request. */
export function beginMeasuring(): void {
  cpuBefore = process.cpuUsage();
  subscribe('net.client.socket', (message) => {
    const { socket } = message as { readonly socket: Socket };
    sockets.opened++;
    sockets.open++;
    sockets.atOnce = Math.max(sockets.atOnce, sockets.open);
    socket.once('close', () => sockets.open--);
  });
}

/** Sends what was measured to the parent and ends this process. */
export function finish(ms: number): void {
  const { opened, atOnce } = sockets;
  const peakRss = process.resourceUsage().maxRSS * 1024;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMs = (user + system) / 1000;
  process.send?.({ ms, cpuMs, peakRss, sockets: { opened, atOnce } } satisfies Measured, () =>
    process.exit(0),
  );
}

/** 500 requests one after the other, the rest 20 at a time, as a controller does in its quiet and busy hours. */
export async function makeRequests(count: number, get: (index: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  const sequential = Math.min(500, count);
  for (let index = 0; index < sequential; index++) await get(index);
  let next = sequential;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (next < count) await get(next++);
    }),
  );
  return performance.now() - startedAt;
}
