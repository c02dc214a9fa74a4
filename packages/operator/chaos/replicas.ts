import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runOperator, startFaultProxy, type ControlPlane } from '@atoll/testbed';
import { operatorAccount } from '../integration/set-up/operator-control-plane.ts';
import type { Replica } from './faults/chaos-world.ts';

const controllers = '*,daemon-set-upgrade,extended-daemon-set';
const election = [
  '--leader-elect-lease-duration=10s',
  '--leader-elect-renew-deadline=5s',
  '--leader-elect-retry-period=1s',
];

/** Starts two operators, each with a clock of its own and a proxy before the API server. */
export async function startReplicas(controlPlane: ControlPlane): Promise<readonly Replica[]> {
  const replicas: Replica[] = [];
  for (const name of ['operator-1', 'operator-2']) {
    const proxy = await startFaultProxy({ target: controlPlane, directory: controlPlane.directory });
    const clockFile = join(controlPlane.directory, `${name}.clock`);
    writeFileSync(clockFile, '0');
    const component = await runOperator(controlPlane, {
      script: join(import.meta.dirname, 'operator-with-clock.ts'),
      account: operatorAccount,
      name,
      kubeconfig: await proxy.kubeconfigFrom(await controlPlane.kubeconfigFor(operatorAccount)),
      args: [...election, `--controllers=${controllers}`, '--clock-file', clockFile],
    });
    replicas.push({ component, proxy, clockFile, down: false });
  }
  return replicas;
}

/** As a Deployment would: an operator that ended is started again. */
export async function keepRunning(replicas: readonly Replica[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { component, down } of replicas) {
      if (!down && component.pid === undefined && !signal.aborted)
        await component.restart().catch(() => undefined);
    }
    await delay(500, undefined, { signal }).catch(() => undefined);
  }
}
