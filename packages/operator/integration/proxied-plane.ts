import { startFaultProxy, type FaultProxy } from '@atoll/testbed';
import { operatorAccount, startOperatorPlane, type OperatorPlane } from './operator-plane.ts';

/** A way of its own to the API server, which can be cut. */
export interface Way {
  readonly proxy: FaultProxy;
  /** The operator's, through the proxy. */
  readonly kubeconfig: string;
}

/** A plane that operators reach only through proxies. */
export interface ProxiedPlane extends OperatorPlane, Way {
  /** For another operator beside the first. */
  openWay(): Promise<Way>;
}

export async function startProxiedPlane(
  options: Parameters<typeof startOperatorPlane>[0],
): Promise<ProxiedPlane> {
  const world = await startOperatorPlane(options);
  const { plane } = world;
  const proxies: FaultProxy[] = [];
  const end = async (): Promise<void> => {
    for (const proxy of proxies) await proxy.close();
    await world[Symbol.asyncDispose]();
  };
  const openWay = async (): Promise<Way> => {
    const proxy = await startFaultProxy({ target: plane, directory: plane.directory });
    proxies.push(proxy);
    return { proxy, kubeconfig: await proxy.kubeconfigFrom(await plane.kubeconfigFor(operatorAccount)) };
  };
  try {
    return { ...world, ...(await openWay()), openWay, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}
