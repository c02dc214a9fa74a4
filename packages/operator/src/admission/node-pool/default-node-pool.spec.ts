import { annotations, type NodePool } from '@atoll/api';
import { expect, it } from 'vitest';
import { defaultNodePool } from './default-node-pool.ts';

it.each<readonly [string, unknown]>([
  ['a text', 'abc'],
  ['a list', ['a']],
  ['a number', 3],
])('a spec that is %s is left to the schema, which refuses it', (_, spec) => {
  const object = { metadata: { name: 'hz' }, spec } as NodePool;
  expect(defaultNodePool(object, true)).toBe(object);
});

it('a pool that a client of v1alpha1 writes back keeps the network of its hosts, of which that client does not know', () => {
  const metadata = { name: 'hz', annotations: { [annotations.hostNetwork]: 'true' } };
  const old: NodePool = { metadata, spec: { type: 'Edge', hostNetwork: true } };
  const written: NodePool = { metadata, spec: { type: 'Edge' } };
  expect(defaultNodePool(written, false, old).spec).toEqual({ type: 'Edge', hostNetwork: true });
  expect(defaultNodePool(written, false, written).spec).toEqual({ type: 'Edge' });
});

it('a pool that a client of v1beta1 writes back keeps what is immutable and that client does not know', () => {
  const metadata = { name: 'hz' };
  const old: NodePool = { metadata, spec: { type: 'Edge', interConnectivity: true } };
  const written = (spec: NodePool['spec']): NodePool => ({ metadata, spec: { type: 'Edge', ...spec } });
  expect(defaultNodePool(written({}), false, old).spec).toEqual({ type: 'Edge', interConnectivity: true });
  expect(defaultNodePool({ metadata }, false, old).spec).toEqual({ interConnectivity: true });
  // Said in so many words it is left to the schema, which refuses it.
  const off = written({ interConnectivity: false });
  expect(defaultNodePool(off, false, old).spec).toEqual({ type: 'Edge', interConnectivity: false });
  expect(defaultNodePool(written({}), true).spec).toEqual({ type: 'Edge' });
  expect(defaultNodePool(written({}), false, written({})).spec).toEqual({ type: 'Edge' });
});
