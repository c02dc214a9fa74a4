import {
  nodePools,
  unitedDaemonSets,
  unitedDeployments,
  yurtAppDaemons,
  type PoolWorkload,
} from '@atoll/api';
import { sleep, systemClock, type Client } from '@atoll/kube';
import { describeFleet, type FleetState } from './fleet-state.ts';

const pollMs = 250;

/** Reads the fleet as any user would. */
export async function readFleet(client: Client, signal: AbortSignal): Promise<FleetState> {
  const [pools, united, daemons, spread] = await Promise.all([
    client.list(nodePools, { signal }),
    client.list(unitedDaemonSets, { signal }),
    client.list(yurtAppDaemons, { signal }),
    client.list(unitedDeployments, { signal }),
  ]);
  const withKind = (kind: string, items: readonly PoolWorkload[]) => items.map((item) => ({ ...item, kind }));
  const inPools = [
    ...withKind(unitedDaemonSets.kind, united.items),
    ...withKind(yurtAppDaemons.kind, daemons.items),
  ];
  return describeFleet(pools.items, inPools, spread.items);
}

/**
 * Shows the fleet until `until` holds; resolves to whether it did before `deadlineMs` passed (never, where undefined).
 * Rejects when the signal ends.
 */
export async function showFleet(
  client: Client,
  show: (state: FleetState) => void,
  until: (state: FleetState) => boolean,
  signal: AbortSignal,
  deadlineMs?: number,
): Promise<boolean> {
  const started = systemClock.monotonic();
  for (;;) {
    signal.throwIfAborted();
    const state = await readFleet(client, signal);
    show(state);
    if (until(state)) return true;
    if (deadlineMs !== undefined && systemClock.monotonic() - started > deadlineMs) return false;
    await sleep(systemClock, pollMs, signal);
  }
}
