import { CacheSet, createInformers, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { caches, type CacheName } from '../caches.ts';
import { cacheNamesOf, declaredCaches } from './declared-caches.ts';
import type { KindDefinition } from './kind-definition.ts';

function reading(name: string, ...names: readonly CacheName[]): Pick<KindDefinition, 'name' | 'reads'> {
  const reads = Object.fromEntries(names.map((each) => [each, caches[each]]));
  return { name, reads: reads as unknown as KindDefinition['reads'] };
}

/** What would be asked of the API server. */
function followed(...names: readonly CacheName[]) {
  const never = (): Promise<never> => Promise.reject(new Error('nothing is asked here'));
  const informers = createInformers({ client: { watch: never, raw: never } });
  return {
    set: new CacheSet(informers, declaredCaches([reading('a', ...names), reading('b', ...names)])),
    streams: () => [...informers.states().keys()],
  };
}

describe('a set of caches', () => {
  it('holds those that are read, each once, and no other', () => {
    const { set, streams } = followed('nodes', 'nodePools');
    expect(streams()).toEqual(['nodes v1', 'nodepools.apps.openyurt.io apps.openyurt.io/v1beta2']);
    expect(set.readers['subsetPods']).toBeUndefined();
    expect(() => set.cacheNamed('subsetPods')).toThrow('there is no cache subsetPods');
  });

  it('asks for the pods of subsets only', () => {
    expect(followed('subsetPods').streams()).toEqual(['pods v1, labelSelector apps.kruise.io/subset-name']);
  });

  it('asks for one object where only that is read', () => {
    expect(followed('kruiseMutatingWebhooks').streams()).toEqual([
      'mutatingwebhookconfigurations.admissionregistration.k8s.io admissionregistration.k8s.io/v1, fieldSelector metadata.name=kruise-mutating-webhook-configuration',
    ]);
  });

  it('follows a kind that need not be installed by its definition', () => {
    const { set, streams } = followed('cloneSets');
    expect(streams()).toEqual([
      'customresourcedefinitions.apiextensions.k8s.io apiextensions.k8s.io/v1, fieldSelector metadata.name=clonesets.apps.kruise.io',
      'clonesets.apps.kruise.io apps.kruise.io/v1alpha1 where it is served',
    ]);
    const reader = set.cacheNamed('cloneSets');
    expect(reader).toBe(set.readers['cloneSets']);
    expect(reader).toMatchObject({ served: false, synced: false });
    expect('onPresence' in set.informerOf(reader)).toBe(true);
  });
});

describe('the cache of a resource', () => {
  it('is the one that the controller reads, whatever descriptor names the resource', () => {
    const copy = { ...pods };
    expect(cacheNamesOf(reading('pool-workload', 'deployments', 'poolPods'), copy)).toEqual(['poolPods']);
    expect(cacheNamesOf(reading('united-deployment', 'deployments', 'subsetPods'), copy)).toEqual([
      'subsetPods',
    ]);
    expect(cacheNamesOf(reading('node-pool', 'nodes'), copy)).toEqual([]);
  });

  it('has a name that means one cache', () => {
    const other = { ...caches.nodes, indexers: {} } as unknown as KindDefinition['reads'][string];
    expect(() => declaredCaches([reading('a', 'nodes'), { name: 'b', reads: { nodes: other } }])).toThrow(
      'b declares another cache under the name "nodes"',
    );
  });
});
