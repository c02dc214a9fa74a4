import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { operatorNames } from '@atoll/api';
import { install } from '@atoll/operator/install';
import { createClient, loadKubeconfig, serverVersion } from '@atoll/kube';
import { obtainBinaries, runOperator, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { programFile } from '../scripts/build/program-file.ts';
import { applySamples, poolsOf, readSamples } from './samples.ts';
import type { Hints, Screen } from './terminal/screen.ts';
import { showFleet } from './fleet/watch-fleet.ts';
import { showCanary } from './scenes/canary.ts';
import { sample, showRollouts } from './scenes/rollout.ts';
import { NotInTime, type Stage } from './scenes/scene.ts';
import { showUpgradeByOwner } from './scenes/upgrade-by-owner.ts';

const operatorScript = programFile('atoll-operator');
/** The API server is on this machine, so it reaches the operator's webhooks; all kinds are served. */
const operatorArgs = [
  '--controllers=*,daemon-set-upgrade,image-pre-pull',
  '--webhook-bind-address',
  '127.0.0.1:0',
  '--webhook-url',
  'https://127.0.0.1:0',
];
const nodesPerPool = 3;
const account = { namespace: operatorNames.namespace, name: operatorNames.serviceAccount };

export interface EmbeddedOptions {
  /** End when everything is Ready, instead of staying. */
  readonly once: boolean;
  /** `PATH` and what decides where the control plane's programs come from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * A control plane, a fleet, the operator and the samples on this machine. Yields the exit code, or rejects; leaves
 * nothing behind in any case.
 */
export async function runEmbedded(
  { once, environment }: EmbeddedOptions,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const samples = readSamples();
  const pools = poolsOf(samples);
  const onProgress = (text: string): void => screen.progress(`  ${text}`);
  const binaries = await obtainBinaries({ environment, onProgress, signal });
  if (environment['KUBECONFIG']) {
    screen.print('$KUBECONFIG is not used here. For that cluster: npm start -- --kubeconfig ""');
  }
  screen.print('Starting a real Kubernetes control plane on 127.0.0.1 …');
  const died = new AbortController();
  await using controlPlane = await startControlPlane({
    binaries,
    fleet: { pools, nodesPerPool, zones: ['zone-a', 'zone-b', 'zone-c'] },
    onProgress,
    onUnexpectedExit: (message) => died.abort(new Error(message)),
    signal,
  });
  const running = AbortSignal.any([signal, died.signal]);
  let inUse = false;
  const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), {
    userAgent: 'atoll-start',
  });
  try {
    const { gitVersion } = await serverVersion(client, { signal: running });
    const kubectl = isOnPath('kubectl', environment) ? 'kubectl' : binaries.kubectl;
    const hints = hintsOf(controlPlane.kubeconfig, kubectl);
    screen.print(`Kubernetes ${gitVersion} is up, with ${pools.length} pools of ${nodesPerPool} nodes each.`);
    if (!once) screen.print(`To use it from another terminal: export KUBECONFIG=${controlPlane.kubeconfig}`);
    screen.print('Installing the CRDs, policies and RBAC of Atoll …');
    await install(client, { signal: running });
    screen.print(`Starting the operator as ServiceAccount ${account.namespace}/${account.name} …`);
    await Promise.all([
      // It ends where it loses its Lease, as on a machine that was suspended.
      runOperator(controlPlane, { script: operatorScript, account, args: operatorArgs, startsAgain: true }),
      applySamples(client, samples, running),
    ]);
    screen.print('The operator rolls the samples of examples/ out to every pool and zone …');
    inUse = true;
    return await play({ controlPlane, client, screen, once, hints, signal: running });
  } catch (error) {
    // Ctrl-C is how a person ends the view. With --once, the job is not done.
    if (signal.aborted && inUse && !once) return 0;
    if (died.signal.aborted && !signal.aborted) throw lastWords(controlPlane, died.signal.reason);
    throw error;
  } finally {
    screen.close();
    await client.close();
    if (!signal.aborted) screen.print('Ending the control plane …');
  }
}

/** One scene after the other; then the person who looks plays. */
async function play(stage: Stage): Promise<number> {
  const { client, screen, once, hints, signal } = stage;
  try {
    await showRollouts(stage);
    await showUpgradeByOwner(stage);
    await showCanary(stage);
  } catch (error) {
    if (!(error instanceof NotInTime)) throw error;
    screen.print(error.message);
    screen.print(`The last output of the operator:\n${stage.controlPlane.component('operator').lastWords()}`);
    return 1;
  }
  if (once) return 0;
  screen.print('Now it is yours: change something and see what happens. Ctrl-C ends everything.');
  await showFleet(
    client,
    (state) => screen.show(state, hints),
    () => false,
    signal,
  );
  return 0;
}

/** What to do while it runs. */
function hintsOf(kubeconfig: string, kubectl: string): Hints {
  const use = `  export KUBECONFIG=${kubeconfig}`;
  const end = 'Ctrl-C ends everything and leaves nothing behind.';
  const look = `  ${kubectl} get nodepools,udd,yad,ud,eds,deployments,daemonsets -A`;
  const change = `  ${kubectl} label nodepool beijing yurtappdaemon.openyurt.io/type-   # takes ${sample.name} out of the pool`;
  const scale = `  ${kubectl} scale ud/zones --replicas=8   # spread over its three zones`;
  return { all: ['In another terminal:', use, look, change, scale, end], least: [use, end] };
}

function isOnPath(program: string, environment: EmbeddedOptions['environment']): boolean {
  const folders = (environment['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => folder !== '' && existsSync(join(folder, program)));
}

/** A program of the control plane, or the operator, ended by itself: its last output has the cause. */
function lastWords(controlPlane: ControlPlane, reason: unknown): Error {
  const message = reason instanceof Error ? reason.message : String(reason);
  const dead = controlPlane.components.find((component) => component.pid === undefined);
  return new Error(dead === undefined ? message : `${message}. Its last output:\n${dead.lastWords()}`);
}
