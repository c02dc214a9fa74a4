import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { clusterRoles, namespaces } from '@atoll/kube';
import { savedStore, startControlPlane } from '@atoll/testbed';
import { expect, inject, it } from 'vitest';
import { connect } from './connect.ts';

it('control planes begin with what a saved store holds, and go on each for itself', async () => {
  const folder = join(inject('sharedFolder'), 'store-of-spec');
  let prepared = 0;
  const prepare: Parameters<typeof savedStore>[1] = async (client) => {
    prepared += 1;
    await client.create(namespaces, { metadata: { name: 'saved' } });
  };
  const [store] = await Promise.all([savedStore(folder, prepare), savedStore(folder, prepare)]);
  expect(prepared).toBe(1);
  const saved = readdirSync(store, { recursive: true });

  const [one, two] = await Promise.all([
    startControlPlane({ components: ['kube-controller-manager'], store }),
    startControlPlane({ components: [], store }),
  ]);
  try {
    await using first = await connect(one.kubeconfig);
    await using second = await connect(two.kubeconfig);
    await first.create(namespaces, { metadata: { name: 'only-here' } });
    await expect(second.get(namespaces, { name: 'only-here' })).rejects.toThrow('not found');
    for (const client of [first, second]) {
      expect(await client.get(namespaces, { name: 'saved' })).toMatchObject({ status: { phase: 'Active' } });
      expect((await client.get(clusterRoles, { name: 'cluster-admin' })).rules).toHaveLength(2);
    }
  } finally {
    await Promise.all([one.stop(), two.stop()]);
  }
  expect(readdirSync(store, { recursive: true })).toEqual(saved);
});
