import { createClient, loadKubeconfig, type StreamingClient } from '@atoll/kube';
import {
  runOperator,
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
  type Recording,
  type RunningOperator,
} from '@atoll/testbed';
import { programFile } from '../../../../scripts/build/program-file.ts';
import { installedStore } from './installed-store.ts';
import { operatorAccount } from './operator-account.ts';
import { recordOperator } from './record-operator.ts';

export { operatorAccount, operatorUser } from './operator-account.ts';

export const operatorScript = programFile('atoll-operator');

/** For rounds in which something else than leader election is to be seen. */
export const withoutElection = ['--leader-elect=false'];

/** Twice the durations that are shipped, so that a machine that stalls for ten seconds takes the Lease from nobody. */
export const patientElection = ['--leader-elect-lease-duration=30s', '--leader-elect-renew-deadline=20s'];

/** Writes that come and go with time, not with what is asked for. */
export const restless = ['leases.coordination.k8s.io', 'events.events.k8s.io'];

export interface OperatorControlPlane extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  /** As administrator, straight to the API server. */
  readonly client: StreamingClient;
  /** What the operator writes, and what happens to it. */
  readonly recording: Recording;
  /** Starts the operator as a process of its own, under its own ServiceAccount. */
  start(options?: StartOptions): Promise<RunningOperator>;
}

export interface StartOptions {
  /** Another operator than the shipped one. */
  readonly script?: string;
  readonly name?: string;
  readonly kubeconfig?: string;
  readonly args?: readonly string[];
}

/** A control plane of its own with Atoll installed; no operator runs yet. */
export async function startOperatorControlPlane(
  options: Pick<
    ControlPlaneOptions,
    | 'fleet'
    | 'apiServerFlags'
    | 'controllerManagerFlags'
    | 'components'
    | 'kwokDomains'
    | 'nodeLeaseSeconds'
    | 'nodeMonitorGraceSeconds'
  >,
): Promise<OperatorControlPlane> {
  const store = await installedStore();
  const controlPlane = await startControlPlane({ ...options, audit: true, store });
  const client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }), { userAgent: 'spec' });
  const end = async (): Promise<void> => {
    await client.close();
    await controlPlane.stop();
  };
  try {
    const recording = await recordOperator(controlPlane);
    return {
      controlPlane,
      client,
      recording,
      start: async (start = {}) =>
        runOperator(controlPlane, { script: operatorScript, account: operatorAccount, ...start }),
      async [Symbol.asyncDispose]() {
        await recording.stop();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
