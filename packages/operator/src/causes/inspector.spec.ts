import { ApiError, silentLogger } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import type { Client, KubeObject, ListOptions, Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Inspection } from '../engine/inspection.ts';
import type { FoundPod } from './found-pod.ts';
import { Inspector } from './inspector.ts';
import { now, pod, ready, waiting, warning } from './pods.fixture.ts';

function inspection(name: string, more: Partial<Inspection> = {}): Inspection {
  return {
    kind: 'StatefulSet',
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    generation: 1,
    labelSelector: `app=${name}`,
    wanted: 1,
    conditions: [],
    ...more,
  };
}

function podOf(workload: string, found: FoundPod): object {
  const owner = { kind: 'StatefulSet', name: workload, uid: `uid-${workload}`, controller: true };
  return { ...found, metadata: { ...found.metadata, ownerReferences: [owner] } };
}

const missing = pod({
  containers: [waiting('CreateContainerConfigError', 'configmap "settings" not found')],
});

/** An inspector, the lists that it sent with their moments in milliseconds, and what it enqueued. */
function rig() {
  const clock = new FakeClock(now);
  const lists: { readonly at: number; readonly of: string; readonly options: ListOptions }[] = [];
  const enqueued: string[] = [];
  const answers = new Map<string, readonly object[]>();
  const broken = { with: undefined as ApiError | undefined };
  const client = {
    list: async (resource: Resource<KubeObject>, options: ListOptions) => {
      const more = options.limit === 50 ? '' : ` up to ${options.limit}`;
      const of = `${resource.plural} ${options.labelSelector ?? ''}${options.fieldSelector ?? ''}${more}`;
      lists.push({ at: clock.monotonic(), of, options });
      if (broken.with !== undefined) throw broken.with;
      return Promise.resolve({ resourceVersion: '1', items: answers.get(of) ?? [] });
    },
  } as unknown as Client;
  const inspector = new Inspector({ client, clock, logger: silentLogger });
  inspector.onFinding('daemon', (key) => enqueued.push(key));
  const stop = new AbortController();
  const ran = inspector.run(stop.signal);
  const want = (key: string, ...inspections: readonly Inspection[]): void =>
    inspector.want('daemon', key, inspections);
  const momentsOf = () => lists.map(({ at }) => at / 1000);
  return { clock, lists, enqueued, answers, broken, inspector, want, momentsOf, stop, ran };
}

describe('an inspector', () => {
  it('sends nothing while every workload is healthy', async () => {
    const { clock, lists, want } = rig();
    want('shop/web');
    await clock.advance(600_000);
    expect(lists).toEqual([]);
    expect(clock.pending).toBe(1);
  });

  it('looks after 15 s, again after 15, 30 and then every 60 s, at 50 objects of the one workload', async () => {
    const { clock, lists, want, momentsOf } = rig();
    want('shop/web', inspection('web', { wanted: 0 }));
    await clock.advance(200_000);
    expect(momentsOf()).toEqual([15, 30, 60, 120, 180]);
    expect(lists[0]?.options).toMatchObject({
      namespace: 'shop',
      labelSelector: 'app=web',
      limit: 50,
      onePage: true,
    });
  });

  it('keeps what it found while the workload is wanted, and enqueues its owner only when that changes', async () => {
    const { clock, enqueued, answers, inspector, want } = rig();
    answers.set('pods app=web', [podOf('web', missing)]);
    want('shop/web', inspection('web'));
    await clock.advance(100_000);
    expect(inspector.get('uid-web')?.word).toBe('CreateContainerConfigError');
    expect(enqueued).toEqual(['shop/web']);
    answers.set('pods app=web', []);
    await clock.advance(60_000);
    expect(inspector.get('uid-web')).toBeUndefined();
    expect(enqueued).toEqual(['shop/web', 'shop/web']);
  });

  it('drops immediately what is healthy, or has another spec', async () => {
    const { clock, answers, inspector, want, momentsOf } = rig();
    answers.set('pods app=web', [podOf('web', missing)]);
    want('shop/web', inspection('web'));
    await clock.advance(15_000);
    want('shop/web', inspection('web', { generation: 2 }));
    expect(inspector.get('uid-web')).toBeUndefined();
    await clock.advance(15_000);
    expect(inspector.get('uid-web')).toBeDefined();
    want('shop/web');
    expect(inspector.get('uid-web')).toBeUndefined();
    await clock.advance(100_000);
    expect(momentsOf()).toEqual([15, 30]);
  });

  it('does not count what it finds too late', async () => {
    const { clock, answers, inspector, want, enqueued } = rig();
    answers.set('pods app=web', [podOf('web', missing)]);
    want('shop/web', inspection('web'));
    await clock.advance(14_999);
    const looked = clock.advance(1);
    want('shop/web');
    await looked;
    expect([inspector.get('uid-web'), enqueued]).toEqual([undefined, []]);
  });

  it('sends three lists a second for all together, and takes owners in turn', async () => {
    const { clock, lists, want } = rig();
    const many = Array.from({ length: 100 }, (_, index) => inspection(`big-${index}`, { wanted: 0 }));
    want('shop/big', ...many);
    want('shop/web', inspection('web', { wanted: 0 }));
    await clock.advance(60_000);
    const moments = lists.map(({ at }) => at);
    const gaps = moments.slice(1).map((at, index) => at - (moments[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(350);
    expect(lists.length).toBeGreaterThan(125);
    expect(lists[1]?.of).toBe('pods app=web');
  });

  describe('where one owner has more workloads than are watched over', () => {
    const manyOf = (owner: string, count: number): readonly Inspection[] =>
      Array.from({ length: count }, (_, index) => inspection(`${owner}-${index}`, { wanted: 0 }));

    it('looks at those of others as soon, and at those of the first again when they are gone', async () => {
      const { clock, lists, want } = rig();
      want('shop/big', ...manyOf('big', 2_500));
      want('shop/web', inspection('web', { wanted: 0 }));
      await clock.advance(16_000);
      expect(lists.map(({ of }) => of)).toContain('pods app=web');
      want('shop/web');
      want('shop/big', ...manyOf('big', 2_500));
      await clock.advance(16_000);
      expect(new Set(lists.slice(3).map(({ of }) => of.split('-')[0]))).toEqual(new Set(['pods app=big']));
    });

    it('gives each the same number of places, and no more than there are', async () => {
      const { clock, lists, want } = rig();
      const owners = ['a', 'b', 'c', 'd'];
      const wantAll = (): void => {
        for (const owner of owners) want(`shop/${owner}`, ...manyOf(owner, 1_500));
      };
      for (let round = 0; round < 3; round += 1) wantAll();
      // At three lists a second all 2,000 places are looked at within 12 minutes.
      await clock.advance(15_000);
      const before = lists.length;
      for (let minute = 0; minute < 30; minute += 1) {
        wantAll();
        await clock.advance(60_000);
      }
      const looked = new Set(lists.slice(before).map(({ of }) => of));
      const countOf = (owner: string): number =>
        [...looked].filter((of) => of.startsWith(`pods app=${owner}-`)).length;
      expect(owners.map(countOf)).toEqual([500, 500, 500, 500]);
    });

    it('shares what owners leave that want fewer, too', async () => {
      const { clock, lists, want } = rig();
      const wantAll = (): void => {
        want('shop/big', ...manyOf('big', 2_500));
        for (const one of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) want(`shop/${one}`, ...manyOf(one, 1));
        want('shop/some', ...manyOf('some', 300));
      };
      wantAll();
      for (let minute = 0; minute < 30; minute += 1) {
        wantAll();
        await clock.advance(60_000);
      }
      const looked = new Set(lists.map(({ of }) => of));
      expect([...looked].filter((of) => of.startsWith('pods app=some-'))).toHaveLength(300);
    });
  });

  it('asks for events within the same three lists', async () => {
    const { clock, lists, answers, inspector, want } = rig();
    const events = [
      warning('uid-web', 'FailedCreate', 'create Pod web-0 in StatefulSet web failed error: denied'),
    ];
    answers.set('events regarding.uid=uid-web', events);
    want('shop/web', inspection('web'));
    await clock.advance(16_000);
    expect(lists.map(({ at, of }) => [at, of])).toEqual([
      [15_000, 'pods app=web'],
      [15_350, 'events regarding.uid=uid-web'],
    ]);
    expect(inspector.get('uid-web')?.message).toBe('pods cannot be created: denied');
  });

  it('changes nothing by a read that fails', async () => {
    const { clock, enqueued, answers, broken, inspector, want } = rig();
    answers.set('pods app=web', [podOf('web', missing)]);
    want('shop/web', inspection('web'));
    await clock.advance(15_000);
    const fate = { fate: 'refused', attempted: 'list pods', message: 'no', reason: 'Forbidden' } as const;
    broken.with = new ApiError({ ...fate, code: 403 });
    await clock.advance(100_000);
    expect(inspector.get('uid-web')?.word).toBe('CreateContainerConfigError');
    expect(enqueued).toEqual(['shop/web']);
  });

  it('does not count the pods of others that carry the same labels', async () => {
    const { clock, answers, inspector, want } = rig();
    answers.set('pods app=web', [podOf('other', missing), podOf('web', ready)]);
    want('shop/web', inspection('web'));
    await clock.advance(15_000);
    expect(inspector.get('uid-web')).toBeUndefined();
  });

  it('of more pods than one list holds looks at those that never started', async () => {
    const { clock, lists, answers, inspector, want } = rig();
    const fifty = Array.from({ length: 50 }, () => podOf('web', ready));
    answers.set('pods app=web', fifty);
    answers.set('pods app=webstatus.phase=Pending', [podOf('web', missing)]);
    want('shop/web', inspection('web', { wanted: 200 }));
    await clock.advance(20_000);
    expect(lists).toHaveLength(2);
    expect(inspector.get('uid-web')?.pods).toEqual(['web-0']);
  });

  describe('of more pods than one list holds, all of which have started', () => {
    const labelled = (name: string, labels: object, found: FoundPod): object =>
      podOf('web', { ...found, metadata: { ...found.metadata, name, labels } as FoundPod['metadata'] });
    const crash = pod({
      containers: [{ ...waiting('CrashLoopBackOff', 'back-off'), restartCount: 3 }],
      status: { phase: 'Running' },
    });

    it.each(['pod-template-hash', 'controller-revision-hash'])(
      'looks at those of other templates, by %s',
      async (label) => {
        const { clock, lists, answers, inspector, want } = rig();
        const old = Array.from({ length: 50 }, (_, index) =>
          labelled(`web-${index}`, { [label]: index < 25 ? 'a' : 'b' }, ready),
        );
        answers.set('pods app=web', old);
        answers.set(`pods app=web,${label} notin (a,b)`, [labelled('web-9', { [label]: 'c' }, crash)]);
        want('shop/web', inspection('web', { wanted: 200 }));
        await clock.advance(20_000);
        expect(lists).toHaveLength(3);
        expect(inspector.get('uid-web')).toMatchObject({ word: 'CrashLoopBackOff', pods: ['web-9'] });
      },
    );

    it('looks at two that are waited for, where the plan knows them', async () => {
      const { clock, lists, answers, inspector, want } = rig();
      const fifty = Array.from({ length: 50 }, (_, index) => labelled(`web-${index}`, {}, ready));
      answers.set('pods app=web', fifty);
      answers.set('pods app=webmetadata.name=web-77', [labelled('web-77', {}, crash)]);
      want('shop/web', inspection('web', { wanted: 0, awaited: ['web-88', 'web-77', 'web-99'] }));
      await clock.advance(20_000);
      expect(lists).toHaveLength(4);
      expect(inspector.get('uid-web')).toMatchObject({ word: 'CrashLoopBackOff', pods: ['web-77'] });
    });

    it('looks at up to 500 where nothing else distinguishes it', async () => {
      const { clock, lists, answers, inspector, want } = rig();
      const fifty = Array.from({ length: 50 }, (_, index) => labelled(`web-${index}`, {}, ready));
      answers.set('pods app=web', fifty);
      answers.set('pods app=web up to 500', [...fifty, labelled('web-77', {}, crash)]);
      want('shop/web', inspection('web', { wanted: 200 }));
      await clock.advance(20_000);
      expect(lists).toHaveLength(3);
      expect(inspector.get('uid-web')).toMatchObject({ word: 'CrashLoopBackOff', pods: ['web-77'] });
    });

    it('finds nothing where all are well, and asks no more', async () => {
      const { clock, lists, answers, inspector, want } = rig();
      const fifty = Array.from({ length: 50 }, () => podOf('web', ready));
      answers.set('pods app=web', fifty);
      answers.set('pods app=web up to 500', [...fifty, ...fifty]);
      want('shop/web', inspection('web', { wanted: 200 }));
      await clock.advance(20_000);
      expect(lists).toHaveLength(3);
      expect(inspector.get('uid-web')).toBeUndefined();
    });
  });

  it('ends with the signal, also while it waits for its turn', async () => {
    const { clock, stop, ran, want } = rig();
    want('shop/web', inspection('web'), inspection('api'));
    await clock.advance(15_100);
    stop.abort();
    await clock.advance(1_000);
    await ran;
    expect(clock.pending).toBe(0);
  });

  describe('at a DaemonSet that adopted a pod without the label of its template', () => {
    const daemon = (name: string): Inspection => inspection(name, { kind: 'DaemonSet', wanted: 0 });
    const made = { metadata: { labels: { 'pod-template-generation': '2' } } };
    const podIn = (name: string, labels: object): object => {
      return podOf('web', { ...ready, metadata: { ...ready.metadata, name, ...labels } });
    };
    const message =
      'pod stray on node n1: adopted without the label pod-template-generation, so its node counts as one without a pod. ' +
      'Give the pod the label pod-template-generation=0, so that it is upgraded as the others, or delete it';

    it('names it', async () => {
      const { clock, answers, inspector, want, lists } = rig();
      answers.set('pods app=web', [podIn('stray', {}), podIn('web-a', made.metadata)]);
      want('shop/web', daemon('web'));
      await clock.advance(16_000);
      expect(inspector.get('uid-web')).toEqual({ word: 'PodNotSeen', message, pods: [], nodes: [] });
      expect(lists).toHaveLength(1);
    });

    it('finds it among more pods than a list holds', async () => {
      const { clock, answers, inspector, want } = rig();
      const many = Array.from({ length: 50 }, (_, index) => podIn(`web-${index}`, made.metadata));
      answers.set('pods app=web', many);
      answers.set('pods app=web,!pod-template-generation', [podIn('stray', {})]);
      want('shop/web', { ...daemon('web'), awaited: [] });
      await clock.advance(16_000);
      expect(inspector.get('uid-web')?.message).toBe(message);
    });

    it('says nothing where each pod has the label, and of pods of others', async () => {
      const { clock, answers, inspector, want } = rig();
      answers.set('pods app=web', [podIn('web-a', made.metadata), ready]);
      want('shop/web', daemon('web'));
      await clock.advance(16_000);
      expect(inspector.get('uid-web')).toBeUndefined();
    });
  });
});
