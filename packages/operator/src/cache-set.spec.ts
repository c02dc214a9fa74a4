import { cloneSets, createInformers, pods, type KubeObject, type Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { CacheSet } from './cache-set.ts';
import type { CacheName } from './caches.ts';

/** What would be asked of the API server. */
function followed(...names: readonly CacheName[]) {
  const never = (): Promise<never> => Promise.reject(new Error('nothing is asked here'));
  const informers = createInformers({ client: { watch: never, raw: never } });
  return { set: new CacheSet(informers, names), streams: () => [...informers.states().keys()] };
}

describe('a set of caches', () => {
  it('holds those that are read, each once, and no other', () => {
    const { set, streams } = followed('nodes', 'nodePools', 'nodes');
    expect(streams()).toEqual(['nodes v1', 'nodepools.apps.openyurt.io apps.openyurt.io/v1beta2']);
    expect(set.readers.subsetPods).toBeUndefined();
    expect(set.cacheOf(pods as Resource<KubeObject>)).toBeUndefined();
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
    const { cloneSets: reader } = set.readers;
    expect([reader.served, reader.synced]).toEqual([false, false]);
    expect(set.cacheOf(cloneSets as Resource<KubeObject>)).toBe(reader);
    expect('onPresence' in set.informerOf(reader)).toBe(true);
  });
});
