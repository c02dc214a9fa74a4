import { describe, expect, test } from 'vitest';
import { projection } from '../decoder/projection.ts';
import { createInformer } from './informer.ts';
import { createInformers } from './informers.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Resource } from '../objects/resource.ts';
import type { StreamingClient } from '../client/streaming-client.ts';

interface Pod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

const pods: Resource<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const byPhase = (pod: Pod): readonly string[] => (pod.status?.phase === undefined ? [] : [pod.status.phase]);

const metadata = {
  namespace: 'n',
  name: 'a',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: '2026-11-01T10:00:00Z',
};

/** Opens watches and sends nothing more. */
const silent: Pick<StreamingClient, 'watch' | 'raw'> = {
  watch: (_resource, _parameters, options) =>
    new Promise((_, reject) => {
      options?.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    }),
  raw: () => Promise.reject(new Error('no lists here')),
};

describe('informers', () => {
  test('are shared by all who read the same objects of a resource', () => {
    const informers = createInformers({ client: silent });
    expect(informers.informer(pods)).toBe(informers.informer(pods));
    const edge = { namespace: 'edge' };
    expect(informers.informer(pods, {}, edge)).toBe(informers.informer(pods, {}, edge));
    expect(informers.informer(pods, {}, edge)).not.toBe(informers.informer(pods));
    expect([...informers.states().keys()]).toEqual(['pods v1', 'pods v1, namespace edge']);
  });

  test('hold the fields and indexes of all their readers', () => {
    const informers = createInformers({ client: silent });
    const { cache } = informers.informer(pods, {
      projection: projection<Pod>()('status.phase'),
      indexers: { phase: byPhase },
    });
    informers.informer(pods, {
      projection: projection<Pod>()('spec.nodeName'),
      indexers: { all: () => ['all'] },
    });
    cache.wrote({ metadata, spec: { nodeName: 'x' }, status: { phase: 'Running' } });
    expect(cache.by('phase', 'Running')).toEqual([
      { metadata, spec: { nodeName: 'x' }, status: { phase: 'Running' } },
    ]);
    expect(cache.by('all', 'all')).toHaveLength(1);
  });

  test.each([
    [{ labelSelector: 'app=x' }, true],
    [{ labelSelector: 'app' }, true],
    [{ labelSelector: 'app!=x' }, false],
    [{ labelSelector: '!app' }, false],
    [{ fieldSelector: 'spec.nodeName=x,metadata.name=a' }, true],
    [{ fieldSelector: 'spec.nodeName!=x' }, false],
    [{ fieldSelector: 'spec.nodeName=x,status.phase=Running' }, false],
  ])('of %j have an own write that fits, also where their readers read no such field', (limits, fits) => {
    const needs = { projection: projection<Pod>()('metadata.annotations') };
    const written = { metadata: { ...metadata, labels: { app: 'x' } }, spec: { nodeName: 'x' } };
    for (const { cache } of [
      createInformers({ client: silent }).informer(pods, needs, limits),
      createInformer({ client: silent, resource: pods, ...needs, ...limits }),
    ]) {
      cache.wrote(written);
      expect(cache.get(metadata)?.metadata.uid).toBe(fits ? 'u' : undefined);
    }
  });

  test('refuse two meanings of one index', () => {
    const informers = createInformers({ client: silent });
    informers.informer(pods, { indexers: { phase: byPhase } });
    expect(() => informers.informer(pods, { indexers: { phase: () => [] } })).toThrow(
      'has another index phase already',
    );
  });

  test('refuse new needs once they were started, and take what they hold already', async () => {
    const informers = createInformers({ client: silent });
    const needs = { projection: projection<Pod>()('status'), indexers: { phase: byPhase } };
    const pod = informers.informer(pods, needs);
    const stop = new AbortController();
    const ended = informers.start(stop.signal);
    const synced = informers.synced();
    expect(informers.informer(pods, needs)).toBe(pod);
    expect(() => informers.informer(pods)).toThrow(
      'the informer of pods was started; its indexes and fields cannot be changed any more',
    );
    // Nobody would start it, and who waits for its content would wait for ever.
    expect(() => informers.informer(pods, needs, { namespace: 'edge' })).toThrow(
      'the informers were started; pods v1, namespace edge must be declared before',
    );
    stop.abort();
    await ended;
    await expect(synced).rejects.toThrow('the informer of pods was stopped before its first content arrived');
  });
});
