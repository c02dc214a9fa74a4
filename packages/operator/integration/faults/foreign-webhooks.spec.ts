// Mutating webhooks of others: one that adds nulls to what users write, as OpenKruise's does, and one that rewrites what
// we write.
import { nodePools, unitedDeployments, yurtAppDaemons, type Subset, type UnitedDeployment } from '@atoll/api';
import { deployments, type Deployment, type RuleWithOperations, type StreamingClient } from '@atoll/kube';
import { concernsWrite, startForeignWebhook, writesOf } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, childrenOf, daemon, imageOf, pool, setImage } from '../set-up/objects.ts';
import {
  operatorUser,
  withoutElection,
  type OperatorControlPlane,
} from '../set-up/operator-control-plane.ts';
import { sharedOperatorControlPlane } from '../set-up/shared-operator-control-plane.ts';
import { conditionsOf, eventually } from '../set-up/standing.ts';
import {
  childrenOf as childrenOfSubsets,
  imageOf as imageOfSubset,
  setImage as setImageOfUnited,
  united,
} from '../united-deployment/objects.ts';
import { isReady } from '../united-deployment/standing.ts';

let world: OperatorControlPlane;
let client: StreamingClient;
const namespace = 'default';

beforeAll(async () => {
  world = await sharedOperatorControlPlane({ fleet: { pools: ['hz', 'bj'], nodesPerPool: 2 } });
  ({ client } = world);
  for (const name of ['hz', 'bj']) await apply(client, nodePools, pool(name, { edge: 'yes' }));
  await world.start({ args: withoutElection });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

function written(group: string, resource: string): readonly RuleWithOperations[] {
  return [
    { apiGroups: [group], apiVersions: ['*'], resources: [resource], operations: ['CREATE', 'UPDATE'] },
  ];
}

describe('a webhook that adds nulls', () => {
  const nulls: Readonly<Record<keyof Subset, null>> = {
    name: null,
    nodeSelectorTerm: null,
    tolerations: null,
    replicas: null,
    minReplicas: null,
    maxReplicas: null,
    patch: null,
  };

  it('lets a UnitedDeployment be created, scaled, edited and rolled out', async () => {
    const name = 'with-nulls';
    await using _ = await startForeignWebhook({
      client,
      name: 'nulls.example.com',
      rules: written('apps.kruise.io', 'uniteddeployments'),
      answer: async ({ object }) => ({
        allowed: true,
        patch: ((object as UnitedDeployment).spec.topology?.subsets ?? []).flatMap((subset, index) =>
          Object.keys(nulls)
            .filter((field) => !(field in subset))
            .map((field) => ({ op: 'add', path: `/spec/topology/subsets/${index}/${field}`, value: null })),
        ),
      }),
    });
    await apply(
      client,
      unitedDeployments,
      united({ name, replicas: 5, subsets: [{ name: 'a', replicas: 2 }, { name: 'b' }, { name: 'c' }] }),
    );
    expect(await isReady(client, name)).toMatchObject({ subsetReplicas: { a: 2, b: 1, c: 2 } });
    const stored = await client.get(unitedDeployments, { namespace, name });
    expect(stored.spec.topology?.subsets?.[0]).toMatchObject({ name: 'a', patch: null, maxReplicas: null });
    await client.scale(unitedDeployments, { namespace, name }, 6);
    await setImageOfUnited(client, name, 'nginx:1.28');
    await eventually(async () => {
      const { subsetReplicas } = await isReady(client, name);
      expect(subsetReplicas).toEqual({ a: 2, b: 2, c: 2 });
      const images = [...(await childrenOfSubsets(client, name)).values()].map(imageOfSubset);
      expect(images).toEqual(Array(3).fill('nginx:1.28'));
    });
  });
});

describe('a webhook that rewrites a field of ours on every write', () => {
  const name = 'mirrored';
  const image = '/spec/template/spec/containers/0/image';

  it('is asked once for each change, and not with each status', async () => {
    await using _ = await startForeignWebhook({
      client,
      name: 'mirror.example.com',
      rules: written('apps', 'deployments'),
      answer: async ({ object }) => {
        const found = imageOf(object as Deployment) ?? '';
        const isOurs = found.startsWith('nginx:') && object?.metadata.name.startsWith(`${name}-`) === true;
        const patch = [{ op: 'replace', path: image, value: `mirror.example.com/${found}` }] as const;
        return isOurs ? { allowed: true, patch } : { allowed: true };
      },
    });
    const since = Date.now();
    await apply(client, yurtAppDaemons, daemon({ name, pools: { edge: 'yes' }, replicas: 3 }));
    await runs('mirror.example.com/nginx:1.27');
    await setImage(client, yurtAppDaemons, name, 'nginx:1.28');
    await runs('mirror.example.com/nginx:1.28');
    expect(await writesSince(since)).toEqual([2, 2]);

    const edited = Date.now();
    const child = (await childrenOf(client, name)).get('hz');
    if (child === undefined) throw new Error('there is a child');
    const key = { namespace, name: child.metadata.name };
    await client.patch(deployments, key, {
      type: 'json',
      body: [{ op: 'replace', path: image, value: 'someone/else' }],
    });
    await runs('mirror.example.com/nginx:1.28');
    expect(await writesSince(edited)).toEqual([1]);
  });

  async function runs(wanted: string): Promise<void> {
    await eventually(async () => {
      expect([...(await childrenOf(client, name)).values()].map(imageOf)).toEqual([wanted, wanted]);
      const { Ready } = await conditionsOf(client, yurtAppDaemons, name, namespace);
      expect(Ready).toMatchObject({ status: 'True' });
    });
  }

  /**
   * How often the operator changed each child, of those that it changed. Conflicts do not count: the Deployment's
   * controller may write between what was seen and what was sent, and on a busy machine more than once.
   */
  async function writesSince(since: number): Promise<readonly number[]> {
    const ours = { user: operatorUser, resources: ['deployments.apps'] };
    await world.recording.waitForQuiescence({ ...ours, quietMs: 2_000 });
    const writes = writesOf(await world.recording.history()).filter(
      (write) =>
        concernsWrite({ ...ours, since }, write) &&
        write.audit.name?.startsWith(`${name}-`) === true &&
        write.result !== 'refused',
    );
    return [...Map.groupBy(writes, ({ audit }) => audit.name).values()].map(({ length }) => length);
  }
});

describe('a webhook that lowers the number of replicas of children', () => {
  const lowered = (child: string): Parameters<typeof startForeignWebhook>[0] => ({
    client,
    name: 'thrift.example.com',
    rules: written('apps', 'deployments'),
    answer: async ({ object }) => {
      const isOurs = object?.metadata.name.startsWith(child) === true;
      const patch = [{ op: 'replace', path: '/spec/replicas', value: 1 }] as const;
      return isOurs ? { allowed: true, patch } : { allowed: true };
    },
  });

  const replicas = async (name: string) => {
    const children = await childrenOf(client, name);
    return ['hz', 'bj'].map((of) => children.get(of)?.spec?.replicas);
  };

  it('is named by the condition, and its end is noticed', async () => {
    const name = 'thrifty';
    {
      await using _ = await startForeignWebhook(lowered(`${name}-hz-`));
      await apply(client, yurtAppDaemons, daemon({ name, pools: { edge: 'yes' }, replicas: 2 }));
      await eventually(async () => {
        const { Ready } = await conditionsOf(client, yurtAppDaemons, name, namespace);
        expect(Ready).toMatchObject({ status: 'False', reason: 'ChildRefused' });
        expect(Ready?.message).toContain(
          'to 2 replicas left it with 1. A mutating webhook lowers the number',
        );
      });
      expect(await replicas(name)).toEqual([1, 2]);
    }
    await eventually(async () => {
      expect(await replicas(name)).toEqual([2, 2]);
      const { Ready } = await conditionsOf(client, yurtAppDaemons, name, namespace);
      expect(Ready).toMatchObject({ status: 'True' });
    });
  });

  it('costs no pod of the child of a subset that gets another name', async () => {
    const name = 'renamed-thriftily';
    const subsets = async () =>
      Object.fromEntries(
        [...(await childrenOfSubsets(client, name))].map(([subset, { spec }]) => [subset, spec?.replicas]),
      );
    await apply(client, unitedDeployments, united({ name, replicas: 3, subsets: [{ name: 'a' }] }));
    await eventually(async () => void (await isReady(client, name)));
    {
      await using _ = await startForeignWebhook(lowered(`${name}-b-`));
      await client.patch(
        unitedDeployments,
        { namespace, name },
        {
          type: 'merge',
          body: { spec: { topology: { subsets: [{ name: 'b' }] } } },
        },
      );
      await eventually(async () => {
        const { Ready } = await conditionsOf(client, unitedDeployments, name, namespace);
        expect(Ready?.message).toContain('A mutating webhook lowers the number');
      });
      expect(await subsets()).toEqual({ a: 3, b: 1 });
    }
    await eventually(async () => {
      expect(await subsets()).toEqual({ b: 3 });
      await isReady(client, name);
    });
  });
});
