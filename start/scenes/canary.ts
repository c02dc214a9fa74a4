import { extendedDaemonSets } from '@atoll/api';
import { sleep, systemClock } from '@atoll/kube';
import { isComplete, type ChildState, type FleetState, type WorkloadState } from '../fleet/fleet-state.ts';
import { lookMs, showUntil, type Stage } from './scene.ts';

/** The ExtendedDaemonSet of `examples/extended-daemon-set-canary.yaml`, a good new image, and one whose container crashes. */
const sample = { namespace: 'default', name: 'collector', good: 'nginx:1.28', bad: 'nginx:bad-crash' };

/** A new template is tried on one node: one that is healthy is promoted, and one that is not goes back. */
export async function showCanary(stage: Stage): Promise<void> {
  const { screen } = stage;
  await change(stage, sample.good);
  screen.print(`Changed the image of ${sample.name} to ${sample.good}: on one node first, as a canary.`);
  await showUntil(stage, (state) => isTried(state, sample.good) && childrenOf(state).every(isReady));
  screen.print('The canary is Ready. It is promoted when its duration is over.');
  await showUntil(stage, (state) => hasEverywhere(state, sample.good));
  screen.print(`The canary was promoted: every node runs ${sample.good}.`);
  await change(stage, sample.bad);
  screen.print(`Changed the image of ${sample.name} to ${sample.bad}: on one node first, again.`);
  await showUntil(stage, (state) => isTried(state, sample.bad));
  screen.print('Its container crashes. The other nodes keep their pods.');
  await showUntil(stage, (state) => hasEverywhere(state, sample.good));
  screen.print(`The canary failed: its node and the template in the spec are back at ${sample.good}.`);
}

async function change({ client, screen, once, signal }: Stage, image: string): Promise<void> {
  if (!once) {
    screen.print(`In ${lookMs / 1000} s the image of ExtendedDaemonSet ${sample.name} changes to ${image} …`);
    await sleep(systemClock, lookMs, signal);
  }
  const body = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }] as const;
  const { namespace, name } = sample;
  await client.patch(extendedDaemonSets, { namespace, name }, { type: 'json', body }, { signal });
}

function workloadOf({ workloads }: FleetState): WorkloadState | undefined {
  return workloads.find(({ kind, name }) => kind === extendedDaemonSets.kind && name === sample.name);
}

function childrenOf(state: FleetState): readonly ChildState[] {
  return workloadOf(state)?.children ?? [];
}

/** One pod is of the new template. */
function isTried(state: FleetState, image: string): boolean {
  const { ready = true, image: wanted } = workloadOf(state) ?? {};
  return !ready && wanted === image && childrenOf(state).filter(({ updated }) => updated === 1).length === 1;
}

function isReady({ ready }: ChildState): boolean {
  return ready === 1;
}

function hasEverywhere(state: FleetState, image: string): boolean {
  return (
    isComplete(state) &&
    workloadOf(state)?.image === image &&
    childrenOf(state).every(({ updated }) => updated === 1)
  );
}
