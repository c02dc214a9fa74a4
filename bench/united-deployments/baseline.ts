import { fieldManagers, labels, unitedDeployments, type UnitedDeployment } from '@atoll/api';
import { controllerRevisions, inParallel, type Stored, type StreamingClient } from '@atoll/kube';
import type { RenderedChild } from '../../packages/operator/src/children/child.ts';
import { childName } from '../../packages/operator/src/children/names.ts';
import { ownerReference } from '../../packages/operator/src/children/ownership/owner.ts';
import { decideRevision, type Revision } from '../../packages/operator/src/children/revisions/revision.ts';
import type { ChildKind } from '../../packages/operator/src/united-deployment/subsets/child-kind.ts';
import { finishChild } from '../../packages/operator/src/united-deployment/rendering/finish-child.ts';
import { readTemplate, revisionData } from '../../packages/operator/src/united-deployment/template.ts';
import { ChildWriter } from '../rollout/child-writer.ts';
import { requestsInFlight } from '../rollout/requests-in-flight.ts';
import type { Baseline, Loop } from '../rollout/subject.ts';
import { changeImage, create, type Key } from './objects.ts';

/** Sends what user and operator send for the same end: objects, revisions, children. */
export class UnitedDeploymentsBaseline implements Baseline {
  readonly #client: StreamingClient;
  readonly #keys: readonly Key[];
  readonly #writer: ChildWriter;

  constructor(client: StreamingClient, keys: readonly Key[]) {
    this.#client = client;
    this.#keys = keys;
    this.#writer = new ChildWriter(client);
  }

  first(): Loop {
    return async () =>
      inParallel(this.#keys, requestsInFlight, async (key) => {
        const owner = await create(this.#client, key);
        const revision = await this.#writeRevision(owner, 1);
        for (const child of childrenOf(owner, revision)) await this.#writer.create(child);
      });
  }

  second(): Loop {
    return async () =>
      inParallel(this.#keys, requestsInFlight, async (key) => {
        const owner = await changeImage(this.#client, key);
        const revision = await this.#writeRevision(owner, 2);
        for (const child of childrenOf(owner, revision)) await this.#writer.update(child);
      });
  }

  async #writeRevision(owner: Stored<UnitedDeployment>, number: number): Promise<Revision<ChildKind>> {
    const given = readTemplate(owner.spec);
    if (!given.ok) throw new Error(given.problem);
    const { name, namespace = '' } = owner.metadata;
    const revision = decideRevision(owner, given.template, [], { get: () => undefined }).update;
    const metadata = {
      name: revision.name,
      namespace,
      labels: { ...given.template.labels, [labels.workload]: name },
      ownerReferences: [ownerReference({ resource: unitedDeployments, object: owner })],
    };
    const object = { metadata, data: revisionData.write(given.template), revision: number };
    const options = { fieldManager: fieldManagers.atoll, force: true };
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
      asksForOtherOrdinals: false,
      keptNumber: undefined,
    };
    return finishChild(place, undefined, Date.now());
  });
}
