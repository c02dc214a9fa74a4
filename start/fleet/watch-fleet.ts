import { daemonSetUpdate, extendedDaemonSetLabels, extendedDaemonSets, nodePools } from '@atoll/api';
import { daemonSets, groupResourceOf, isApiError, pods, sleep, systemClock, type Client } from '@atoll/kube';
import { kindDefinitions } from '@atoll/operator';
import { describeDaemonSet, isUpgraded } from './daemon-set-state.ts';
import { describeExtendedDaemonSet } from './extended-daemon-set-state.ts';
import { describeFleet, type FleetState, type FoundWorkload, type WorkloadState } from './fleet-state.ts';

const pollMs = 250;

/** Every kind of ours but pools, which have a table of their own. */
const workloadKinds = kindDefinitions
  .filter(({ schema }) => schema !== undefined)
  .map(({ resource }) => resource)
  .filter((resource) => groupResourceOf(resource) !== groupResourceOf(nodePools));

/** Reads the fleet as any user would. */
async function readFleet(client: Client, signal: AbortSignal): Promise<FleetState> {
  const [pools, upgraded, extended, ...workloads] = await Promise.all([
    client.list(nodePools, { signal }),
    readDaemonSets(client, signal),
    readExtendedDaemonSets(client, signal),
    ...workloadKinds.map(async (resource) => {
      const { items } = await client.list(resource, { signal });
      return items.map((item): FoundWorkload => ({ ...item, kind: resource.kind }));
    }),
  ]);
  return describeFleet(pools.items, workloads.flat(), [...upgraded, ...extended]);
}

async function readDaemonSets(client: Client, signal: AbortSignal): Promise<readonly WorkloadState[]> {
  const { items } = await client.list(daemonSets, { signal });
  const upgraded = items.filter(isUpgraded);
  if (upgraded.length === 0) return [];
  const labelSelector = daemonSetUpdate.podLabels.templateGeneration;
  const { items: found } = await client.list(pods, { labelSelector, signal });
  return upgraded.map((daemonSet) => describeDaemonSet(daemonSet, found));
}

/** None where their definition is not installed. */
async function readExtendedDaemonSets(
  client: Client,
  signal: AbortSignal,
): Promise<readonly WorkloadState[]> {
  try {
    const { items } = await client.list(extendedDaemonSets, { signal });
    if (items.length === 0) return [];
    const { items: found } = await client.list(pods, { labelSelector: extendedDaemonSetLabels.name, signal });
    return items.map((object) => describeExtendedDaemonSet(object, found));
  } catch (error) {
    if (isApiError(error, 'NotServed')) return [];
    throw error;
  }
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
