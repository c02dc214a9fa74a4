import { fieldManagers } from '@atoll/api';
import { deployments, type KubeObject, type Resource, type StreamingClient } from '@atoll/kube';
import type { RenderedChild } from '../../packages/operator/src/children/child.ts';

/** Writes children with the requests of the operator's executor. */
export class ChildWriter {
  readonly #client: StreamingClient;
  readonly #uids = new Map<string, string>();

  constructor(client: StreamingClient) {
    this.#client = client;
  }

  async create(child: RenderedChild): Promise<void> {
    const { metadata } = await this.#client.createByApply(resource, child, options);
    this.#uids.set(metadata.name, metadata.uid);
  }

  async update(child: RenderedChild): Promise<void> {
    const uid = this.#uids.get(child.metadata.name) ?? '';
    await this.#client.apply(resource, { ...child, metadata: { ...child.metadata, uid } }, options);
  }
}

const resource = deployments as Resource<KubeObject>;
const options = { fieldManager: fieldManagers.atoll, force: true };
