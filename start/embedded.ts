import { join } from 'node:path';
import { operatorNames, yurtAppDaemons } from '@atoll/api';
import { install } from '@atoll/api/install';
import { createClient, loadKubeconfig, type Client } from '@atoll/kube';
import { runOperator, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { isComplete, type FleetState } from './fleet-state.ts';
import { applySamples, poolsOf, readSamples } from './samples.ts';
import type { Screen } from './screen.ts';
import { showFleet } from './watch-fleet.ts';

const operatorScript = join(import.meta.dirname, '..', 'packages', 'operator', 'src', 'main.ts');
const nodesPerPool = 3;
/** With `--once`: how long each of the two rollouts may take. */
const deadlineMs = 120_000;
/** The image of the sample before and after the rollout that the newcomer sees. */
const sample = { namespace: 'default', name: 'nginx', image: 'nginx:1.28' };

export interface EmbeddedOptions {
  /** End when everything is Ready, instead of staying. */
  readonly once: boolean;
}

/** A control plane, a fleet, the operator and the samples on this machine. Yields the exit code; leaves nothing behind. */
export async function runEmbedded(
  options: EmbeddedOptions,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const samples = readSamples();
  const pools = poolsOf(samples);
  screen.say('Starting a real control plane on 127.0.0.1 …');
  await using plane = await startControlPlane({
    fleet: { pools, nodesPerPool, zones: ['zone-a', 'zone-b', 'zone-c'] },
    audit: true,
    onProgress: (message) => screen.say(`  ${message}`),
    signal,
  });
  const client = createClient(await loadKubeconfig({ path: plane.kubeconfig }), { userAgent: 'atoll-start' });
  try {
    screen.say('Installing CRDs, policies and RBAC …');
    await install(client, { signal });
    screen.say(
      `Starting the operator as ServiceAccount ${operatorNames.namespace}/${operatorNames.serviceAccount} …`,
    );
    const operator = await runOperator(plane, {
      script: operatorScript,
      account: { namespace: operatorNames.namespace, name: operatorNames.serviceAccount },
    });
    const ended = new AbortController();
    const watching = AbortSignal.any([signal, ended.signal]);
    const guard = setInterval(() => {
      if (operator.pid === undefined) ended.abort();
    }, 200);
    try {
      screen.say('Applying the samples of examples/ …');
      await applySamples(client, samples, signal);
      return await showRollouts({ client, plane, screen, once: options.once, signal: watching });
    } finally {
      clearInterval(guard);
      if (ended.signal.aborted && !signal.aborted) {
        screen.say(`The operator has ended; the end of its log (${operator.logFile}):`);
        screen.say(operator.lastWords());
      }
    }
  } finally {
    await client.close();
    screen.say('Ending the control plane …');
  }
}

interface Show {
  readonly client: Client;
  readonly plane: ControlPlane;
  readonly screen: Screen;
  readonly once: boolean;
  readonly signal: AbortSignal;
}

async function showRollouts({ client, plane, screen, once, signal }: Show): Promise<number> {
  const show = (state: FleetState): void => screen.show(state);
  const limit = once ? deadlineMs : undefined;
  if (!(await showFleet(client, show, isComplete, signal, limit))) return giveUp(screen, signal);
  screen.say(`Everything is Ready. Changing the image of ${sample.name} to ${sample.image} …`);
  await changeImage(client, signal);
  const changed = (state: FleetState): boolean =>
    isComplete(state) && state.workloads.some((workload) => workload.image === sample.image);
  if (!(await showFleet(client, show, changed, signal, limit))) return giveUp(screen, signal);
  screen.say('Every pool runs the new image.');
  if (once) return 0;
  screen.say(
    `Look around:  kubectl --kubeconfig ${plane.kubeconfig} get nodepools,udd,yad,deployments,pods -A`,
  );
  screen.say('Ctrl-C ends everything and leaves nothing behind.');
  await showFleet(client, show, () => false, signal);
  return giveUp(screen, signal);
}

async function changeImage(client: Client, signal: AbortSignal): Promise<void> {
  const path = '/spec/workloadTemplate/deploymentTemplate/spec/template/spec/containers/0/image';
  const { namespace, name, image } = sample;
  await client.patch(
    yurtAppDaemons,
    { namespace, name },
    { type: 'json', body: [{ op: 'replace', path, value: image }] },
    { signal },
  );
}

/** Ctrl-C is how a person ends a live view; anything else that ends it early is a failure. */
function giveUp(screen: Screen, signal: AbortSignal): number {
  if (!signal.aborted) screen.say(`Not everything is Ready after ${deadlineMs / 1000} s.`);
  return 1;
}
