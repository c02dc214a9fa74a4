import { deployments, nodes } from '@atoll/kube';
import type { Deployment, KubeObject, Node, Resource, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { stored } from '../engine.fixture.ts';
import { isAsSeen, nodeSeenAs, seenAs, seenAsNode, seenExactly, seenInSpec } from './seen.ts';

const key = { namespace: 'edge', name: 'web' };
const web: Stored<Deployment> = stored(deployments, 'web', '7', { generation: 2, labels: { app: 'web' } });

function changed(metadata: object): Stored<KubeObject> {
  return { ...web, metadata: { ...web.metadata, ...metadata } };
}

describe('an object on which a step rests', () => {
  const as = seenAs(deployments, key, web);
  const exactly = seenExactly(deployments, web);
  const inSpec = seenInSpec(deployments, web);

  it.each<readonly [string, Stored<KubeObject> | undefined, readonly boolean[]]>([
    ['nothing changed', web, [true, true, true]],
    ['its labels changed', changed({ labels: { app: 'db' } }), [false, false, false]],
    ['it was made anew', changed({ uid: 'another' }), [false, false, false]],
    ['it is gone', undefined, [false, false, false]],
    ['its status changed', changed({ resourceVersion: '8' }), [true, false, true]],
    ['its spec changed', changed({ resourceVersion: '8', generation: 3 }), [true, false, false]],
  ])('is as it was seen or not, where %s', (_, live, [ofIdentity, ofAll, ofSpec]) => {
    expect(isAsSeen(as, live)).toBe(ofIdentity);
    expect(isAsSeen(exactly, live)).toBe(ofAll);
    expect(isAsSeen(inSpec, live)).toBe(ofSpec);
  });

  it('was absent, and is so still or not', () => {
    const absent = seenAs(deployments, key, undefined);
    expect(isAsSeen(absent, undefined)).toBe(true);
    expect(isAsSeen(absent, web)).toBe(false);
  });
});

describe('a node on which a step rests', () => {
  const taint = { key: 'edge', effect: 'NoSchedule' } as const;
  const node: Stored<Node> = {
    ...stored(nodes as Resource<Node>, 'n1', '1', { labels: { zone: 'a' } }),
    spec: { taints: [taint] },
  };
  const seen = seenAsNode('n1', node);

  it('is as it was seen while its labels and taints are', () => {
    expect(isAsSeen(seen, node)).toBe(true);
    expect(isAsSeen(seen, { ...node, spec: {} } as Stored<Node>)).toBe(false);
    expect(isAsSeen(seen, { ...node, metadata: { ...node.metadata, labels: {} } })).toBe(false);
    expect(isAsSeen(seen, undefined)).toBe(false);
    expect(isAsSeen(seenAsNode('n1', undefined), undefined)).toBe(true);
  });

  it('is as it was seen while it is Ready, where that is asked for', () => {
    const asked = { ...seen, ready: true } as const;
    const withReady = (status: string) => ({ ...node, status: { conditions: [{ type: 'Ready', status }] } });
    expect(isAsSeen(asked, withReady('True'))).toBe(true);
    expect(isAsSeen(asked, withReady('Unknown'))).toBe(false);
    expect(isAsSeen(asked, node)).toBe(false);
    expect(isAsSeen(asked, undefined)).toBe(false);
  });

  it('is seen with those annotations that decide', () => {
    const annotations = { 'example.com/cpu': '1', 'other.com/cpu': '2' };
    const annotated = { ...node, metadata: { ...node.metadata, annotations } };
    expect(nodeSeenAs(annotated, 'example.com/')).toEqual({
      key: { name: 'n1' },
      labels: { zone: 'a' },
      taints: [taint],
      annotations: { prefix: 'example.com/', found: { 'example.com/cpu': '1' } },
    });
    expect(nodeSeenAs(annotated)).not.toHaveProperty('annotations');
  });
});
