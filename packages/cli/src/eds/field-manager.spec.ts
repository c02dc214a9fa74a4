import { expect, it } from 'vitest';
import { runServed } from './served.fixture.ts';

const stamp = { namespace: 'ns', creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '1' };
const settled = {
  metadata: { ...stamp, name: 'agent', uid: 'agent-uid' },
  spec: { strategy: { canary: {} }, template: {} },
  status: { activeReplicaSet: 'agent-1' },
};
const tried = { ...settled, status: { ...settled.status, canary: { replicaSet: 'agent-2', nodes: ['a'] } } };
const ownerReferences = [{ kind: 'ExtendedDaemonSet', name: 'agent', uid: 'agent-uid', controller: true }];
const canary = { metadata: { ...stamp, name: 'agent-2', uid: 'agent-2-uid', ownerReferences } };

// Flux's kustomize-controller takes back what a manager whose name begins with "kubectl" wrote to an object that is in git.
it.each(
  [
    ['canary', 'validate', 'agent'],
    ['canary', 'pause', 'agent'],
    ['canary', 'unpause', 'agent'],
    ['canary', 'fail', 'agent'],
    ['pause-rolling-update', 'agent'],
    ['freeze-rollout', 'agent'],
  ].map((line) => [line]),
)('%j writes under a name that Flux leaves alone', async (line) => {
  const object = line[0] === 'canary' ? tried : settled;
  const { code, requests } = await runServed(line, ({ url = '' }) => ({
    body: url.includes('extendeddaemonsetreplicasets') ? canary : object,
  }));
  expect(code).toBe(0);
  const managers = requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ url = '' }) => new URL(url, 'http://x').searchParams.get('fieldManager'));
  expect(managers).toEqual(['atoll-eds']);
});
