import { nodePools } from '@atoll/api';
import { groupResourceOf, sleep, systemClock, type Client } from '@atoll/kube';
import { kindDefinitions } from '@atoll/operator';
import { describeFleet, type FleetState, type FoundWorkload } from './fleet-state.ts';

const pollMs = 250;

/** Every kind of ours but pools, which have a table of their own. */
const workloadKinds = kindDefinitions
  .filter(({ schema }) => schema !== undefined)
  .map(({ resource }) => resource)
  .filter((resource) => groupResourceOf(resource) !== groupResourceOf(nodePools));

/** Reads the fleet as any user would. */
export async function readFleet(client: Client, signal: AbortSignal): Promise<FleetState> {
  const [pools, ...workloads] = await Promise.all([
    client.list(nodePools, { signal }),
    ...workloadKinds.map(async (resource) => {
      const { items } = await client.list(resource, { signal });
      return items.map((item): FoundWorkload => ({ ...item, kind: resource.kind }));
    }),
  ]);
  return describeFleet(pools.items, workloads.flat());
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
