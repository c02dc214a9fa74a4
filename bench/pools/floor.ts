import { fieldManagers, yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import { deployments, type Client, type Stored, type StreamingClient } from '@atoll/kube';
import type { KubeObject, Resource } from '@atoll/kube';
import { finishChild } from '../../packages/operator/src/pool-workload/finish-child.ts';
import { childName } from '../../packages/operator/src/engine/children/names.ts';
import type { RenderedChild } from '../../packages/operator/src/engine/children/child.ts';
import { decideRevision } from '../../packages/operator/src/engine/children/revision.ts';
import { readTemplate } from '../../packages/operator/src/pool-workload/template.ts';
import { inParallel } from '../rollout/in-parallel.ts';

/** As many as the operator's executor has under way. */
const requestsInFlight = 16;

/**
 * What writing alone costs: a bare loop that sends the objects which the operator would send, prepared beforehand,
 * through the same client. It reads nothing, decides nothing and reports nothing.
 */
export class Floor {
  readonly #client: StreamingClient;
  readonly #uids = new Map<string, string>();

  constructor(client: StreamingClient) {
    this.#client = client;
  }

  async create(children: readonly RenderedChild[]): Promise<void> {
    await inParallel(children.length, requestsInFlight, async (index) => {
      const child = children[index];
      if (child === undefined) return;
      const options = { fieldManager: fieldManagers.atoll, force: true };
      const { metadata } = await this.#client.createByApply(resource, child, options);
      this.#uids.set(metadata.name, metadata.uid);
    });
  }

  async apply(children: readonly RenderedChild[]): Promise<void> {
    await inParallel(children.length, requestsInFlight, async (index) => {
      const child = children[index];
      if (child === undefined) return;
      const uid = this.#uids.get(child.metadata.name) ?? '';
      const object = { ...child, metadata: { ...child.metadata, uid } };
      await this.#client.apply(resource, object, { fieldManager: fieldManagers.atoll, force: true });
    });
  }
}

const resource = deployments as Resource<KubeObject>;

/** The children of the workload in all pools, as the operator writes them. */
export function childrenOf(
  workload: Stored<PoolWorkload>,
  pools: readonly NodePool[],
): readonly RenderedChild[] {
  const given = readTemplate(workload.spec);
  if (!given.ok) throw new Error(given.problem);
  const { metadata } = workload;
  const revision = decideRevision(metadata.name, given.template, [], () => false, 0).update;
  const owner = { resource: yurtAppDaemons as Resource<KubeObject>, object: workload };
  return pools.map((pool) => {
    const place = {
      owner,
      pool: { name: pool.metadata.name, taints: pool.spec?.taints ?? [] },
      name: childName(metadata, pool.metadata.name),
      revision,
      replicas: given.replicas,
      knownToOldOperator: false,
    };
    return finishChild(place, undefined, Date.now());
  });
}

/** Reads the workload as the API server holds it, defaults included. */
export async function readWorkload(
  client: Client,
  namespace: string,
  name: string,
): Promise<Stored<PoolWorkload>> {
  return client.get(yurtAppDaemons, { namespace, name });
}
