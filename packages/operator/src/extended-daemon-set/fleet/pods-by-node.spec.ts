import { describe, expect, it } from 'vitest';
import { ago, podOn, replicaSet, type PodShape } from '../extended-daemon-set.fixture.ts';
import { podsByNode } from './pods-by-node.ts';

const set = replicaSet(1);

function podsOf(...shapes: readonly PodShape[]) {
  return podsByNode(shapes.map((shape) => podOn('a', set, shape))).get('a');
}

/** In whatever order they are listed. */
function keptOf(one: PodShape, other: PodShape) {
  const found = [podsOf(one, other), podsOf(other, one)];
  return found.map((pods) => [pods?.kept, ...(pods?.duplicates ?? [])].map((pod) => pod?.metadata.name));
}

describe('of several pods on a node', () => {
  it.each<[string, PodShape, PodShape]>([
    ['is bound to it', { created: ago(10) }, { created: ago(20), bound: false }],
    ['is bound to it, Ready or not', { created: ago(10), ready: false }, { created: ago(20), bound: false }],
    ['is Ready', { created: ago(10) }, { created: ago(20), ready: false }],
    ['is the oldest', { created: ago(20) }, { created: ago(10) }],
    ['is the first by name', {}, {}],
  ])('the one is kept that %s', (_, kept, other) => {
    const names = ['a-kept', 'b-other'];
    const found = keptOf({ name: 'a-kept', ...kept }, { name: 'b-other', ...other });
    expect(found).toEqual([names, names]);
  });

  it('those that have ended are none, and the newest of them comes first', () => {
    const pods = podsOf(
      { name: 'older', phase: 'Failed', created: ago(20) },
      { name: 'newer', phase: 'Succeeded', created: ago(10) },
    );
    expect(pods?.ended.map(({ metadata }) => metadata.name)).toEqual(['newer', 'older']);
    expect(pods?.kept).toBeUndefined();
  });
});
