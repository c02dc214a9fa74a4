import { configMaps } from '@atoll/kube';
import { expect, inject, it } from 'vitest';
import { startForeignWebhook } from '../src/index.ts';
import { connect } from './connect.ts';

it('is asked for each write after it was started, and fails none after it was removed', async () => {
  const client = await connect(inject('kubeconfig'));
  // Other tests write to the same control plane.
  const own = 'written-beside-a-foreign-webhook';
  const make = () =>
    client.create(configMaps, { metadata: { namespace: 'default', name: own } }, { dryRun: true });
  for (let times = 0; times < 10; times += 1) {
    const name = `labels-${times}.example.com`;
    {
      await using _ = await startForeignWebhook({
        client,
        name,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        answer: async (request) => ({
          allowed: true,
          patch:
            request.name === own ? [{ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } }] : [],
        }),
      });
      expect((await make()).metadata.labels).toEqual({ seen: 'yes' });
    }
    expect((await make()).metadata.labels).toBeUndefined();
  }
});
