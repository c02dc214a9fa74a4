import { startFaultProxy, type FaultProxy } from '@atoll/testbed';
import { operatorAccount, startOperatorPlane, type OperatorPlane } from './operator-plane.ts';

/** A plane that the operator reaches through a proxy. */
export interface ProxiedPlane extends OperatorPlane {
  readonly proxy: FaultProxy;
  /** The operator's, through the proxy. */
  readonly kubeconfig: string;
}

export async function startProxiedPlane(
  options: Parameters<typeof startOperatorPlane>[0],
): Promise<ProxiedPlane> {
  const world = await startOperatorPlane(options);
  const { plane } = world;
  try {
    const proxy = await startFaultProxy({ target: plane, directory: plane.directory });
    const kubeconfig = await proxy.kubeconfigFrom(await plane.kubeconfigFor(operatorAccount));
    return {
      ...world,
      proxy,
      kubeconfig,
      async [Symbol.asyncDispose]() {
        await proxy.close();
        await world[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await world[Symbol.asyncDispose]();
    throw error;
  }
}
