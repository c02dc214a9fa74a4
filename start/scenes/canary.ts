import { extendedDaemonSetAnnotations, extendedDaemonSets, type ExtendedDaemonSet } from '@atoll/api';
import { sleep, systemClock, type Client } from '@atoll/kube';
import { isComplete, type FleetState } from '../fleet/fleet-state.ts';
import { lookMs, showUntil, type Stage } from './scene.ts';

/** The ExtendedDaemonSet of `examples/extended-daemon-set-canary.yaml`, and its new image. */
const sample = { namespace: 'default', name: 'collector', image: 'nginx:1.28' };

/** A new template is tried on one node, and goes to all others when a person says so. */
export async function showCanary(stage: Stage): Promise<void> {
  const { client, screen, once, signal } = stage;
  if (!once) {
    screen.say(
      `In ${lookMs / 1000} s the image of ExtendedDaemonSet ${sample.name} changes to ${sample.image} …`,
    );
    await sleep(systemClock, lookMs, signal);
  }
  const body = [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: sample.image },
  ] as const;
  await change(client, { type: 'json', body }, signal);
  screen.say(`Changed the image of ${sample.name}. It is tried on one node first, as a canary.`);
  await showUntil(stage, (state) => countUpdated(state) === 1 && isTried(state));
  const canary = await canaryOf(client, signal);
  screen.say(`The canary on ${canary.nodes.join(', ')} is Ready. It goes no further until a person says so.`);
  if (!once) await sleep(systemClock, lookMs, signal);
  screen.say(`A person says so: kubectl eds canary validate ${sample.name}`);
  const annotations = { [extendedDaemonSetAnnotations.canaryValid]: canary.replicaSet };
  await change(client, { type: 'merge', body: { metadata: { annotations } } }, signal);
  await showUntil(stage, (state) => isComplete(state) && countUpdated(state) === childrenOf(state).length);
  screen.say('Every node runs the new image.');
}

async function change(
  client: Client,
  patch: Parameters<Client['patch']>[2],
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = sample;
  await client.patch(extendedDaemonSets, { namespace, name }, patch, { signal });
}

async function canaryOf(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly replicaSet: string; readonly nodes: readonly string[] }> {
  const { namespace, name } = sample;
  const { status }: ExtendedDaemonSet = await client.get(extendedDaemonSets, { namespace, name }, { signal });
  return { replicaSet: status?.canary?.replicaSet ?? '', nodes: status?.canary?.nodes ?? [] };
}

function workloadOf({ workloads }: FleetState) {
  return workloads.find(({ kind, name }) => kind === extendedDaemonSets.kind && name === sample.name);
}

function childrenOf(state: FleetState) {
  return workloadOf(state)?.children ?? [];
}

function countUpdated(state: FleetState): number {
  return childrenOf(state).filter(({ updated }) => updated === 1).length;
}

/** All pods are Ready, and the new template waits. */
function isTried(state: FleetState): boolean {
  const { ready = true, image = '' } = workloadOf(state) ?? {};
  return !ready && image === sample.image && childrenOf(state).every((child) => child.ready === 1);
}
