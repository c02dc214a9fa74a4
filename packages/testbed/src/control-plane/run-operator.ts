import type { Component } from './component.ts';
import type { ControlPlane, ServiceAccountName } from './control-plane.ts';
import { freePorts } from './free-port.ts';
import { probe } from './probe.ts';

/** An operator that takes the flags `--kubeconfig` and `--bind-address`. {@link ControlPlane.runProgram} starts any other. */
export interface OperatorUnderTest {
  /** TypeScript or JavaScript file that takes `--kubeconfig FILE` and `--bind-address HOST:PORT`. */
  readonly script: string;
  /** Whose token it gets: never the administrator's, so that missing rights show. */
  readonly account: ServiceAccountName;
  /** Name among the control plane's components. Default `operator`. */
  readonly name?: string;
  /** Instead of one with the account's token against the control plane: for example one that goes through a proxy. */
  readonly kubeconfig?: string;
  readonly args?: readonly string[];
  /** Beside that of the control plane: as what a pod learns of itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** When it ends by itself, as a Deployment would; not where it does so twice within a minute. Default: it stays ended. */
  readonly startsAgain?: boolean;
}

/** An operator that {@link runOperator} started. */
export interface RunningOperator extends Component {
  /** Base URL of its `/healthz`, `/readyz` and `/metrics`. */
  readonly url: string;
}

/** Starts an operator as a process of its own beside the control plane and resolves when its `/healthz` answers. */
export async function runOperator(
  controlPlane: ControlPlane,
  operator: OperatorUnderTest,
): Promise<RunningOperator> {
  const { script, account, name = 'operator', args = [], env = {}, startsAgain = false } = operator;
  const kubeconfig = operator.kubeconfig ?? (await controlPlane.kubeconfigFor(account));
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const component = await controlPlane.runProgram({
    name,
    file: process.execPath,
    env,
    startsAgain,
    args: [script, '--kubeconfig', kubeconfig, '--bind-address', address, ...args],
    ready: async () => probe(`http://${address}/healthz`),
  });
  return Object.assign(component, { url: `http://${address}` });
}
