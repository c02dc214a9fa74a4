import { expect, it } from 'vitest';
import { labels } from '@atoll/api';
import type { Child } from '../subsets/child.ts';
import { podOf } from './pods.fixture.ts';
import { countOutdated, sinceItWasMade, type SubsetPod } from './subset-pods.ts';

const child: Child = {
  kind: 'StatefulSet',
  place: 'a',
  object: {
    metadata: {
      name: 'web-a',
      uid: 'uid-a',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { template: { metadata: { labels: { [labels.subsetRevision]: 'v2' } } } },
  },
};

it.each([
  [['v1', 'v2', 'v2'], 1],
  [['v1', 'v1', 'v2'], 2],
  [['v2', 'v1', 'v2', 'v2'], 1],
  [['v1', 'v1', 'v1'], 3],
  [['v1', '', 'v2', 'v3'], 3],
])('N7: of pods with revisions %j %d wait for somebody to delete them', (revisions, outdated) => {
  const pods = revisions.map(
    (revision, i) => podOf({ name: `web-a-${i}`, state: 'ready', revision }) as SubsetPod,
  );
  expect(countOutdated(pods, child)).toBe(outdated);
});

it('a pod that goes already waits for nobody', () => {
  const pods = [podOf({ state: 'ready', revision: 'v1', terminating: true }) as SubsetPod];
  expect(countOutdated(pods, child)).toBe(0);
});

it('a pod that was made in the same second as its Deployment is one of its own, and one made before it is not', () => {
  const own = podOf({ name: 'own', age: 60, state: 'unschedulable' }) as SubsetPod;
  const old = podOf({ name: 'old', age: 61, state: 'unschedulable' }) as SubsetPod;
  const metadata = { ...child.object.metadata, creationTimestamp: own.metadata.creationTimestamp };
  const deployment: Child = { ...child, kind: 'Deployment', object: { ...child.object, metadata } };
  expect(sinceItWasMade([own, old], deployment)).toEqual([own]);
});
