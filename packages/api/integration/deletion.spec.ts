// What may be deleted. The API server decides it by policies: no operator runs here.
import {
  createClient,
  customResourceDefinitions,
  definitionName,
  loadKubeconfig,
  nodes,
  untilServed,
  type StreamingClient,
} from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { annotations, labels, nodePools, unitedDeployments } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { kinds } from '../src/schema/kinds.ts';
import { connect, refusalOf } from './connect.ts';
import { pool } from './samples.ts';
import { united } from './united-samples.ts';

let client: StreamingClient;
const namespace = 'default';
const node = { name: 'deletion-node' };

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client);
  await client.create(nodes, { metadata: node });
});

afterAll(async () => {
  await client.delete(nodes, node);
  await client.close();
});

describe('deleting a NodePool', () => {
  const { nodePool, desiredNodePool } = labels;

  async function nodeWith(
    wanted: Readonly<Record<string, string | null>>,
    notes: Readonly<Record<string, string | null>> = {},
  ): Promise<void> {
    const none = { [nodePool]: null, [desiredNodePool]: null };
    const metadata = { labels: { ...none, ...wanted }, annotations: notes };
    await client.patch(nodes, node, { type: 'merge', body: { metadata } });
  }

  const hasNode = (name: string): string =>
    `NodePool ${name} has nodes, ${node.name} for one: take the label ${nodePool} off its nodes first`;

  function refusalFor(name: string): Promise<string> {
    return refusalOf(client.delete(nodePools, { name }, { dryRun: true })).catch(String);
  }

  /** Nodes reach admission through a watch, so that a label that was taken off may be seen there a moment later. */
  async function remove(name: string): Promise<void> {
    await vi.waitFor(async () => client.delete(nodePools, { name }), 60_000);
  }

  it('is refused in every version while a node names it, whatever its status is', async () => {
    await client.create(nodePools, pool('named'));
    await nodeWith({ [nodePool]: 'named' });
    await expect.poll(() => refusalFor('named')).toContain(hasNode('named'));
    for (const version of ['v1alpha1', 'v1beta1']) {
      await expect(client.delete({ ...nodePools, version }, { name: 'named' })).rejects.toThrow('has nodes');
    }
    // The older label of the node shows that it is still wanted there, or asks to go elsewhere, and has not gone yet.
    await nodeWith(
      { [nodePool]: 'named', [desiredNodePool]: 'other' },
      { [annotations.followedPool]: 'named' },
    );
    await expect.poll(() => refusalFor('named')).toContain(hasNode('named'));
    await nodeWith({}, { [annotations.followedPool]: null });
    await expect(remove('named')).resolves.toBeUndefined();
  });

  it('is allowed while a status of long ago still counts nodes', async () => {
    const name = 'counted';
    await client.create(nodePools, pool(name));
    const body = { status: { readyNodeNum: 1, nodes: ['n2'] } };
    await client.patch(nodePools, { name }, { type: 'merge', body }, { subresource: 'status' });
    await expect(remove(name)).resolves.toBeUndefined();
  });

  it('is allowed when its last node asks to leave by the older label', async () => {
    const name = 'asked';
    await client.create(nodePools, pool(name));
    const followed = { [annotations.followedPool]: name };
    await nodeWith({ [nodePool]: name, [desiredNodePool]: name }, followed);
    await expect.poll(() => refusalFor(name)).toContain(hasNode(name));
    await nodeWith({ [nodePool]: name }, followed);
    await expect(remove(name)).resolves.toBeUndefined();
    await nodeWith({}, { [annotations.followedPool]: null });
  });

  it('is allowed against its nodes by an annotation of the pool', async () => {
    const name = 'allowed';
    await client.create(nodePools, pool(name));
    await nodeWith({ [nodePool]: name });
    await expect.poll(() => refusalFor(name)).toContain(hasNode(name));
    const allow = { metadata: { annotations: { [annotations.allowDeletion]: 'true' } } };
    await client.patch(nodePools, { name }, { type: 'merge', body: allow });
    await expect(remove(name)).resolves.toBeUndefined();
  });
});

describe('deleting a UnitedDeployment', () => {
  const label = 'policy.kruise.io/delete-protection';

  async function protectedBy(value: string, replicas: number): Promise<string> {
    const name = `${value.toLowerCase()}-${replicas}`;
    const object = united(namespace, name, { replicas });
    await client.create(unitedDeployments, {
      ...object,
      metadata: { ...object.metadata, labels: { [label]: value } },
    });
    return name;
  }

  it.each<readonly [string, string, number, string]>([
    [
      'that is protected',
      'Always',
      0,
      'UnitedDeployment always-0 is protected from deletion: take the label policy.kruise.io/delete-protection=Always off first',
    ],
    [
      'that is protected as long as it runs',
      'Cascading',
      2,
      'UnitedDeployment cascading-2 is protected from deletion as long as it has replicas: scale it to 0 or take the label policy.kruise.io/delete-protection=Cascading off first',
    ],
  ])('%s is refused', async (_what, value, replicas, message) => {
    const key = { namespace, name: await protectedBy(value, replicas) };
    const attempt = (): Promise<string> =>
      refusalOf(client.delete(unitedDeployments, key, { dryRun: true })).catch(String);
    // The policy reaches admission through a watch.
    await expect.poll(attempt).toContain(message);
    await client.patch(unitedDeployments, key, {
      type: 'merge',
      body: { metadata: { labels: { [label]: null } } },
    });
    await client.delete(unitedDeployments, key);
    await expect(client.get(unitedDeployments, key)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('that was scaled to 0 is allowed', async () => {
    const key = { namespace, name: await protectedBy('Cascading', 0) };
    await client.delete(unitedDeployments, key);
    await expect(client.get(unitedDeployments, key)).rejects.toMatchObject({ reason: 'NotFound' });
  });

  describe('whose label is misspelt', () => {
    const warnings: string[] = [];
    let warned: StreamingClient;

    beforeAll(async () => {
      const access = await loadKubeconfig({ path: inject('kubeconfig') });
      warned = createClient(access, {
        userAgent: 'api-specs',
        onWarning: (warning) => void warnings.push(String(warning)),
      });
    });

    afterAll(() => warned.close());

    async function warningsOf(value: string): Promise<string> {
      warnings.length = 0;
      const object = united(namespace, 'mistaken', { replicas: 1 });
      const labelled = { ...object, metadata: { ...object.metadata, labels: { [label]: value } } };
      await warned.create(unitedDeployments, labelled, { dryRun: true });
      return warnings.join();
    }

    it.each(['always', 'Cascade', 'true'])(
      'is stored with the warning that %s protects nothing',
      async (value) => {
        // The policy reaches admission through a watch.
        await expect
          .poll(() => warningsOf(value))
          .toContain(
            `the label ${label}=${value} does not protect UnitedDeployment mistaken from deletion: its value must be Always or Cascading`,
          );
      },
    );

    it('is warned of again with each change, until the value is right or the label gone', async () => {
      const key = { namespace, name: await protectedBy('always', 1) };
      const change = async (value: string | null): Promise<number> => {
        warnings.length = 0;
        const body = { metadata: { labels: { [label]: value, touched: String(value) } } };
        await warned.patch(unitedDeployments, key, { type: 'merge', body });
        return warnings.length;
      };
      await expect.poll(() => warningsOf('always')).not.toBe('');
      const counts = [
        await change('always'),
        await change('Always'),
        await change('ALWAYS'),
        await change(null),
      ];
      expect(counts).toEqual([1, 0, 1, 0]);
      await client.delete(unitedDeployments, key);
    });
  });
});

describe('deleting the definition', () => {
  const definitions = kinds.map(({ resource }) => definitionName(resource));
  const dryDelete = async (name: string): Promise<unknown> =>
    client.delete(customResourceDefinitions, { name }, { dryRun: true });

  it.each(definitions)('%s is refused, and the answer has what to do', async (name) => {
    await expect
      .poll(async () => refusalOf(dryDelete(name)).catch(String))
      .toContain(
        `with the definition ${name} all its objects would be deleted, and their workloads and pods.`,
      );
    await expect(dryDelete(name)).rejects.toThrow(`annotate it with ${annotations.allowDeletion}=true`);
  });

  it('is allowed by an annotation', async () => {
    const [name = ''] = definitions;
    const allow = async (value: string | null): Promise<void> => {
      const body = { metadata: { annotations: { [annotations.allowDeletion]: value } } };
      await client.patch(customResourceDefinitions, { name }, { type: 'merge', body });
    };
    await allow('true');
    await dryDelete(name);
    await allow(null);
    await expect(dryDelete(name)).rejects.toThrow('would be deleted');
  });

  it('of another project is no matter of ours', async () => {
    const group = 'deletion.example.com';
    const name = `things.${group}`;
    const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    await client.create(customResourceDefinitions, {
      metadata: { name },
      spec: { group, scope: 'Namespaced', names, versions },
    });
    // Not while it is still being established: how long that takes is the API server's affair.
    await untilServed(client, [name]);
    await client.delete(customResourceDefinitions, { name });
    await expect
      .poll(async () => {
        const { items } = await client.list(customResourceDefinitions);
        return items.filter(({ metadata }) => metadata.name === name).map(({ status }) => status?.conditions);
      })
      .toEqual([]);
  });
});
