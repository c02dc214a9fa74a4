import { expect, it } from 'vitest';
import { runServed } from './served.fixture.ts';

const object = {
  metadata: { name: 'agent', namespace: 'edge', uid: 'u' },
  spec: { template: {}, strategy: {} },
  status: { desired: 2, current: 1, activeReplicaSet: 'agent-1', state: 'Running' },
};

function pod(node: string, more: object = {}): object {
  const conditions = [{ type: 'Ready', status: 'True' }];
  return {
    metadata: { name: `agent-${node}`, namespace: 'edge', uid: node, ...more },
    spec: { nodeName: node, containers: [{ name: 'agent' }] },
    status: { phase: 'Running', conditions },
  };
}

async function notReady(...items: readonly object[]) {
  const args = ['pods', '--select', 'not-ready', 'agent', '-n', 'edge'];
  return runServed(args, ({ url = '' }) => {
    if (url.includes('extendeddaemonsets')) return { body: object };
    return { body: { metadata: {}, items: url.includes('/pods') ? items : [] } };
  });
}

it('a node without a pod is not passed over where all pods are ready', async () => {
  expect((await notReady(pod('a'))).err).toBe(
    'All pods that are there are ready. Nodes without a pod: 1 of 2. See why: kubectl describe eds agent -n edge\n',
  );
  expect((await notReady(pod('a'), pod('b'))).err).toBe('All pods are ready.\n');
});

it('a pod that is being deleted is not ready, as in the status of the object', async () => {
  const { out } = await notReady(pod('a'), pod('b', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
  expect(out).toMatch(/agent-b .*Terminating/);
  expect(out).not.toContain('agent-a');
});
