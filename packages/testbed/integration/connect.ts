import { createClient, loadKubeconfig, type StreamingClient } from '@atoll/kube';

/** A client that closes with the block: `await using client = await connect(file)`. */
export async function connect(kubeconfig: string): Promise<StreamingClient & AsyncDisposable> {
  const client = createClient(await loadKubeconfig({ path: kubeconfig }), { userAgent: 'testbed-test' });
  return Object.assign(client, { [Symbol.asyncDispose]: async () => client.close() });
}
