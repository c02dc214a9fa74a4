import { yurtAppDaemons, type NodePool, type PoolWorkload } from '@atoll/api';
import { inParallel, type KubeObject, type Resource, type Stored, type StreamingClient } from '@atoll/kube';
import type { RenderedChild } from '../../packages/operator/src/children/child.ts';
import { childName } from '../../packages/operator/src/children/names.ts';
import { decideRevision } from '../../packages/operator/src/children/revisions/revision.ts';
import { finishChild } from '../../packages/operator/src/pool-workload/rendering/finish-child.ts';
import { readTemplate } from '../../packages/operator/src/pool-workload/template.ts';
import { ChildWriter } from '../rollout/child-writer.ts';
import { requestsInFlight } from '../rollout/requests-in-flight.ts';
import type { Baseline, Loop } from '../rollout/subject.ts';
import { changeImage, create } from './workload.ts';

/** Sends the children, prepared beforehand. */
export class PoolsBaseline implements Baseline {
  readonly #client: StreamingClient;
  readonly #namespace: string;
  readonly #pools: readonly NodePool[];
  readonly #writer: ChildWriter;

  constructor(client: StreamingClient, namespace: string, pools: readonly NodePool[]) {
    this.#client = client;
    this.#namespace = namespace;
    this.#pools = pools;
    this.#writer = new ChildWriter(client);
  }

  async first(): Promise<Loop> {
    const children = childrenOf(await create(this.#client, this.#namespace), this.#pools);
    return async () => inParallel(children, requestsInFlight, async (child) => this.#writer.create(child));
  }

  async second(): Promise<Loop> {
    const children = childrenOf(await changeImage(this.#client, this.#namespace), this.#pools);
    return async () => inParallel(children, requestsInFlight, async (child) => this.#writer.update(child));
  }
}

/** The children of the workload in all pools, as the operator writes them. */
function childrenOf(workload: Stored<PoolWorkload>, pools: readonly NodePool[]): readonly RenderedChild[] {
  const given = readTemplate(workload.spec);
  if (!given.ok) throw new Error(given.problem);
  const { metadata } = workload;
  const revision = decideRevision(workload, given.template, [], { get: () => undefined }).update;
  const owner = { resource: yurtAppDaemons as Resource<KubeObject>, object: workload };
  return pools.map((pool) => {
    const place = {
      owner,
      pool: { name: pool.metadata.name, taints: pool.spec?.taints ?? [] },
      name: childName(metadata, pool.metadata.name),
      revision,
      replicas: given.replicas,
      knownToOldOperator: { template: false, replicas: false },
      history: [],
    };
    return finishChild(place, undefined, Date.now());
  });
}
