import { startFaultProxy, type FaultProxy } from '@atoll/testbed';
import {
  operatorAccount,
  startOperatorControlPlane,
  type OperatorControlPlane,
} from './operator-control-plane.ts';
import { sharedOperatorControlPlane } from './shared-operator-control-plane.ts';

/** A way of its own to the API server, which can be cut. */
export interface Way {
  readonly proxy: FaultProxy;
  /** The operator's, through the proxy. */
  readonly kubeconfig: string;
}

/** A control plane that operators reach only through proxies. */
export interface ProxiedControlPlane extends OperatorControlPlane, Way {
  /** For another operator beside the first. */
  openWay(): Promise<Way>;
}

/** One of its own, whose programs may be killed. */
export async function startProxiedControlPlane(
  options: Parameters<typeof startOperatorControlPlane>[0],
): Promise<ProxiedControlPlane> {
  return withProxy(await startOperatorControlPlane(options));
}

/** What {@link sharedOperatorControlPlane} says is true of it. */
export async function sharedProxiedControlPlane(
  options: Parameters<typeof sharedOperatorControlPlane>[0],
): Promise<ProxiedControlPlane> {
  return withProxy(await sharedOperatorControlPlane(options));
}

async function withProxy(world: OperatorControlPlane): Promise<ProxiedControlPlane> {
  const { controlPlane } = world;
  const proxies: FaultProxy[] = [];
  const end = async (): Promise<void> => {
    for (const proxy of proxies) await proxy.close();
    await world[Symbol.asyncDispose]();
  };
  const openWay = async (): Promise<Way> => {
    const proxy = await startFaultProxy({ target: controlPlane, directory: controlPlane.directory });
    proxies.push(proxy);
    return {
      proxy,
      kubeconfig: await proxy.kubeconfigFrom(await controlPlane.kubeconfigFor(operatorAccount)),
    };
  };
  try {
    return { ...world, ...(await openWay()), openWay, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}
