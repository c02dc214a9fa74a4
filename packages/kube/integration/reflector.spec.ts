import { configMaps, createInformer, projection, type ConfigMap, type StreamingClient } from '@atoll/kube';
import { refusalOf } from '../src/testing/refusal-of.ts';
import { describe, expect, test } from 'vitest';
import { cutOften, keptByTheTest } from './cut-often.ts';
import { eventually, FollowedResource } from './followed-resource.ts';
import { listsAreStreamed, requestsToFollow } from './streamed-lists.ts';

const resource = 'configmaps';
const watches = { verb: 'watch', resource } as const;

/** Requests of the reflector so far, which is everything that went through the proxy. */
function requests(followed: FollowedResource): number {
  return followed.proxy.traffic().total;
}

describe('an informer on a real API server', () => {
  test('gets every version of every object once and in order, on one request', async () => {
    await using followed = await FollowedResource.open();
    await followed.churn('calm', 10, 20);
    await followed.caughtUp();
    expect(followed.heard).toEqual(followed.written);
    expect(followed.proxy.traffic().requests).toEqual(
      listsAreStreamed ? { 'watch configmaps': 1 } : { 'watch configmaps': 2, 'list configmaps': 1 },
    );
  });

  test.each(['stream', 'pages'] as const)(
    'is sent metadata alone where nothing else is kept, by %s',
    async (mode) => {
      await using followed = await FollowedResource.open();
      const { direct, namespace } = followed;
      await followed.churn('before', 2, 1);
      let sent = '';
      const client: Pick<StreamingClient, 'watch' | 'raw'> = {
        raw: async (request) => {
          const answer = await direct.raw(request);
          sent += answer.body.toString();
          return answer;
        },
        watch: async (resource, parameters, options) => {
          if (mode === 'pages' && parameters.sendInitialEvents === true) throw noStreamedLists;
          const answer = await direct.watch(resource, parameters, options);
          return { ...answer, body: overheard(answer.body, (chunk) => (sent += chunk.toString())) };
        },
      };
      const informer = createInformer({
        client,
        resource: configMaps,
        namespace,
        labelSelector: 'followed=yes',
        projection: projection<ConfigMap>()('metadata.labels'),
      });
      const stop = new AbortController();
      const ended = informer.start(stop.signal);
      await informer.synced;
      await followed.churn('after', 2, 1);
      await followed.caughtUp();
      const metadata = (name: string) => {
        const all = followed.informer.cache.get({ namespace, name })?.metadata;
        const { uid, resourceVersion, creationTimestamp, labels } = all ?? {};
        return { creationTimestamp, labels, name, namespace, resourceVersion, uid };
      };
      const expected = ['after-0', 'before-0'].map((name) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: metadata(name),
      }));
      await eventually(
        () => informer.state.resourceVersion === followed.informer.state.resourceVersion,
        () => 'both to have heard the same',
      );
      expect(informer.cache.list()).toEqual(expected);
      expect([sent.includes('before-0'), sent.includes('after-0'), sent.includes('"data"')]).toEqual([
        true,
        true,
        false,
      ]);
      stop.abort();
      await ended;
    },
  );

  test('loses no version when its watch is cut in mid-event again and again', async () => {
    await using followed = await FollowedResource.open({ firstPauseMs: 20 });
    const cut = followed.proxy.endWatches(watches, { how: 'cut-in-mid-event', afterEvents: 9, times: 6 });
    await followed.churn('cut', 10, 20);
    await followed.caughtUp();
    expect(cut.hits).toBe(6);
    expect(followed.heard).toEqual(followed.written);
    expect(followed.informer.state.lists).toBe(1);
    expect(requests(followed)).toBe(6 + requestsToFollow);
  });

  test('leaves a connection on which nothing comes any more, lists anew, and never goes back', async () => {
    await using followed = await FollowedResource.open({ silenceMs: 1500 });
    followed.proxy.endWatches(watches, { how: 'stall', afterEvents: 5 });
    await followed.churn('stall', 10, 10);
    await followed.caughtUp();
    // Silence may mean that the store was set back, so that the version which was reached proves nothing.
    expect(followed.informer.state.lists).toBeGreaterThanOrEqual(2);
    expectOnlyForward(followed);
  });

  test('gets nothing through a black hole, and after it the present content', async () => {
    await using followed = await FollowedResource.open({
      silenceMs: 1000,
      answerMs: 1000,
      longestPauseMs: 500,
    });
    followed.proxy.freeze();
    await followed.churn('frozen', 5, 5);
    await eventually(
      () => followed.informer.state.failures >= 2,
      () => 'failures',
    );
    followed.proxy.heal();
    await followed.caughtUp();
    expect(followed.informer.state.lists).toBeGreaterThanOrEqual(2);
    expectOnlyForward(followed);
  });

  test('lists anew once when its version has expired, and never goes back', async () => {
    await using followed = await FollowedResource.open();
    await followed.churn('before', 6, 3);
    await followed.caughtUp();
    const hold = followed.proxy.holdWatches(watches);
    await followed.churn('unseen', 6, 3);
    hold.expire();
    await followed.caughtUp();
    expect(followed.informer.state.lists).toBe(2);
    expectOnlyForward(followed);
    // Created and deleted while nothing was heard: never there, never reported.
    expect(requests(followed)).toBeLessThanOrEqual(2 + requestsToFollow);
  });

  test('waits as long as Retry-After asks, each time', async () => {
    await using followed = await FollowedResource.open();
    const refusal = followed.proxy.inject(
      { ...watches, times: 2 },
      { do: 'refuse', code: 429, retryAfterSeconds: 2 },
    );
    const startedAt = performance.now();
    followed.proxy.endWatches(watches, { how: 'cut' });
    await followed.churn('throttled', 4, 4);
    await refusal.whenTaken(2);
    await followed.caughtUp();
    expect(performance.now() - startedAt).toBeGreaterThan(4000);
    expect(followed.heard).toEqual(followed.written);
    expect(requests(followed)).toBe(3 + requestsToFollow);
  });

  test.each([500, 503])('asks a server that answers %d ever more rarely', async (code) => {
    await using followed = await FollowedResource.open({ firstPauseMs: 100 });
    const refusal = followed.proxy.inject(watches, { do: 'refuse', code });
    followed.proxy.endWatches(watches, { how: 'cut' });
    await followed.churn('refused', 4, 4);
    await refusal.whenTaken(5);
    refusal.remove();
    await followed.caughtUp();
    expect(followed.heard).toEqual(followed.written);
    expect(requests(followed)).toBeLessThanOrEqual(1 + requestsToFollow + refusal.taken.length);
    // Those of its first list and watch may be in the same second as four or five that are refused.
    expect(followed.proxy.traffic().busiestSecond).toBeLessThanOrEqual(requestsToFollow + 5);
  });

  test('falls back to pages where lists cannot be streamed', async () => {
    await using followed = await FollowedResource.open({ pageSize: 3 });
    await followed.churn('pages', 10, 1);
    const where = ({ query }: { readonly query: URLSearchParams }): boolean => query.has('sendInitialEvents');
    followed.proxy.inject({ ...watches, where }, { do: 'refuse', code: 422 });
    followed.proxy.holdWatches(watches).expire();
    await followed.churn('more', 10, 1);
    await eventually(
      () => followed.informer.state.lists === 2,
      () => 'the second list',
    );
    await followed.caughtUp();
    expect(followed.proxy.traffic().requests['list configmaps']).toBeGreaterThanOrEqual(2);
  });

  test('takes its time over events without losing one', async () => {
    const work = (): void => {
      const end = performance.now() + 10;
      while (performance.now() < end);
    };
    await using followed = await FollowedResource.open({}, (events) => events.forEach(work));
    await followed.churn('slow', 10, 20);
    await followed.caughtUp();
    expect(followed.heard).toEqual(followed.written);
    expect(requests(followed)).toBe(requestsToFollow);
  });

  test('leaks neither sockets nor memory over many faults', { timeout: 420_000 }, async () => {
    const { openWatches, openConnections, grown } = await cutOften({ first: 20, more: 60 });
    expect(openWatches).toEqual({ configmaps: 1 });
    expect(openConnections).toBeLessThanOrEqual(3);
    expect(grown).toBeLessThan(keptByTheTest);
  });
});

/** Of each object versions that were written, each once and in their order; a list leaves some of them out. */
function expectOnlyForward({ heard, written }: FollowedResource): void {
  for (const [name, versions] of heard) {
    expect(versions).toEqual(versions.toSorted((a, b) => order(a) - order(b)));
    expect(new Set(versions).size).toBe(versions.length);
    expect(written.get(name)).toEqual(expect.arrayContaining(versions));
  }
}

function order(version: string): number {
  return version === '-' ? Infinity : Number(version);
}

const noStreamedLists = refusalOf(422, 'watch', 'sendInitialEvents is forbidden');

async function* overheard(body: AsyncIterable<Buffer>, hear: (chunk: Buffer) => void): AsyncIterable<Buffer> {
  for await (const chunk of body) {
    hear(chunk);
    yield chunk;
  }
}
