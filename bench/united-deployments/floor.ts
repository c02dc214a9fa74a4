import { fieldManagers, labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  type KubeObject,
  type Resource,
  type Stored,
  type StreamingClient,
} from '@atoll/kube';
import type { RenderedChild } from '../../packages/operator/src/engine/children/child.ts';
import { childName } from '../../packages/operator/src/engine/children/names.ts';
import { ownerReference } from '../../packages/operator/src/engine/children/owner.ts';
import { decideRevision, type Revision } from '../../packages/operator/src/engine/children/revision.ts';
import type { ChildKind } from '../../packages/operator/src/united-deployment/child-kind.ts';
import { finishChild } from '../../packages/operator/src/united-deployment/finish-child.ts';
import { readTemplate, revisionData } from '../../packages/operator/src/united-deployment/template.ts';
import { changeImage, create, forEach } from './objects.ts';

const resource = deployments as Resource<KubeObject>;
const options = { fieldManager: fieldManagers.atoll, force: true };

/**
 * What writing alone costs: a bare loop that sends what a user and the operator send for the same end (objects,
 * revisions, children), through the same client with as many requests in flight. It reads nothing, decides nothing and
 * reports nothing.
 */
export class Floor {
  readonly #client: StreamingClient;
  readonly #namespace: string;
  readonly #count: number;
  readonly #uids = new Map<string, string>();

  constructor(client: StreamingClient, namespace: string, count: number) {
    this.#client = client;
    this.#namespace = namespace;
    this.#count = count;
  }

  async create(): Promise<void> {
    await forEach(this.#namespace, this.#count, async (_key, index) => {
      const owner = await create(this.#client, this.#namespace, index);
      const revision = await this.#writeRevision(owner, 1);
      for (const child of childrenOf(owner, revision)) {
        const { metadata } = await this.#client.createByApply(resource, child, options);
        this.#uids.set(metadata.name, metadata.uid);
      }
    });
  }

  async update(): Promise<void> {
    await forEach(this.#namespace, this.#count, async (key) => {
      const owner = await changeImage(this.#client, key);
      const revision = await this.#writeRevision(owner, 2);
      for (const child of childrenOf(owner, revision)) {
        const uid = this.#uids.get(child.metadata.name) ?? '';
        await this.#client.apply(resource, { ...child, metadata: { ...child.metadata, uid } }, options);
      }
    });
  }

  async #writeRevision(owner: Stored<UnitedDeployment>, number: number): Promise<Revision<ChildKind>> {
    const given = readTemplate(owner.spec);
    if (!given.ok) throw new Error(given.problem);
    const revision = decideRevision(owner.metadata.name, given.template, [], () => false, 0).update;
    const metadata = {
      name: revision.name,
      namespace: this.#namespace,
      labels: { ...given.template.labels, [labels.workload]: owner.metadata.name },
      ownerReferences: [ownerReference({ resource: unitedDeployments, object: owner })],
    };
    const object = { metadata, data: revisionData.write(given.template), revision: number };
    await this.#client.createByApply(controllerRevisions, object, options);
    return revision;
  }
}

/** The children of all subsets, as the operator writes them: one replica each. */
function childrenOf(
  owner: Stored<UnitedDeployment>,
  revision: Revision<ChildKind>,
): readonly RenderedChild[] {
  return (owner.spec.topology?.subsets ?? []).map((subset) => {
    const name = childName(owner.metadata, subset.name);
    const place = {
      owner: { resource: unitedDeployments, object: owner },
      subset: { name: subset.name, spec: subset },
      name,
      revision,
      replicas: 1,
      partition: 0,
      maxUnavailable: undefined,
      patchText: undefined,
    };
    return finishChild(place, undefined, Date.now());
  });
}
