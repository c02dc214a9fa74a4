// A setting that is deleted and made again within seconds, as by `kubectl replace --force`, a Helm reinstall, or Argo CD with Replace=true.
import { extendedDaemonsetSettings } from '@atoll/api';
import { pods, type Node, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { PlayedCanary } from '../../../simulation/examples/played-canary.ts';
import { withoutIdentity } from '../../../simulation/messages/without-identity.ts';
import { setting } from '../extended-daemon-set.fixture.ts';

const key = { namespace: 'edge', name: 'wide' };

/** All pods were made with the setting `wide`, and are Ready. */
class Shaped {
  readonly played = new PlayedCanary();

  constructor() {
    this.apply();
    this.played.play(120);
  }

  apply(cpu = '1'): void {
    this.played.world.put(extendedDaemonsetSettings, withoutIdentity(setting('wide', { cpu })));
  }

  remove(): void {
    this.played.world.remove(extendedDaemonsetSettings, key);
  }

  get pods(): readonly string[] {
    return this.played.world.list(pods).map(({ metadata }) => metadata.uid);
  }

  get processors(): readonly unknown[] {
    const all = this.played.world.list(pods);
    return all.map(({ spec }) => spec?.containers[0]?.resources?.requests?.['cpu']);
  }

  /** So many seconds, one by one. */
  play(seconds: number): void {
    for (let second = 0; second < seconds; second += 1) {
      this.played.play();
      this.played.world.now += 1000;
    }
    this.played.play();
  }
}

it('restarts no pod where it is the same', () => {
  const shaped = new Shaped();
  expect(shaped.processors).toEqual(['1', '1', '1']);
  const before = shaped.pods;
  shaped.remove();
  shaped.play(8);
  shaped.apply();
  shaped.play(60);
  expect(shaped.pods).toEqual(before);
});

it('restarts no pod where it goes again and again, longer than that in all', () => {
  const shaped = new Shaped();
  const before = shaped.pods;
  for (let time = 0; time < 4; time += 1) {
    shaped.remove();
    shaped.play(6);
    shaped.apply();
    shaped.play(1);
  }
  shaped.play(60);
  expect(shaped.pods).toEqual(before);
});

it('replaces the pods once where it comes with other content', () => {
  const shaped = new Shaped();
  const before = shaped.pods;
  shaped.remove();
  shaped.play(5);
  expect(shaped.pods).toEqual(before);
  shaped.apply('2');
  shaped.play(120);
  expect(shaped.processors).toEqual(['2', '2', '2']);
});

it('has no effect any more when it was gone for ten seconds, which the conditions show until then', () => {
  const shaped = new Shaped();
  const before = shaped.pods;
  shaped.remove();
  shaped.play(9);
  expect(shaped.pods).toEqual(before);
  expect(shaped.played.condition('Ready')).toMatchObject({ status: 'False', reason: 'BatchInterval' });
  expect(shaped.played.condition('Ready')?.message).toContain('the ExtendedDaemonsetSetting wide');
  shaped.play(120);
  expect(shaped.processors).toEqual([undefined, undefined, undefined]);
  expect(shaped.played.condition('Ready')).toMatchObject({ status: 'True' });
  const set = shaped.played.replicaSetOf('agent:1');
  expect(set.status?.conditions?.find(({ type }) => type === 'SettingsGone')?.status).toBe('False');
});

it('is noted as gone in a condition, with the time, so that another process goes on counting', () => {
  const shaped = new Shaped();
  const before = shaped.pods;
  shaped.remove();
  shaped.play(5);
  const set = shaped.played.replicaSetOf('agent:1');
  const noted = set.status?.conditions?.find(({ type }) => type === 'SettingsGone');
  expect(noted).toMatchObject({ status: 'True' });
  shaped.play(6);
  expect(shaped.pods).not.toEqual(before);
});

it('keeps the pod of a rollout that moves meanwhile, so that it is replaced once', () => {
  const shaped = new Shaped();
  shaped.played.setCanary(undefined);
  shaped.played.play();
  shaped.remove();
  shaped.played.setImage('agent:2');
  const before = shaped.pods;
  shaped.play(5);
  expect(shaped.pods).toEqual(before);
  shaped.apply();
  const made = new Set(before);
  for (let batch = 0; batch < 12; batch += 1) {
    shaped.played.play(10);
    for (const uid of shaped.pods) made.add(uid);
  }
  expect(shaped.processors).toEqual(['1', '1', '1']);
  expect(made.size).toBe(6);
});

it('replaces the pods of many that are gone, each with a long name, and writes the status no more then', () => {
  const nodes = Array.from({ length: 12 }, (_, index) => `n${index + 1}`);
  const played = new PlayedCanary({ nodes });
  const nameOf = (node: string): string => `agent-${node}-ip-10-0-12-34.eu-west-1.compute.internal`;
  for (const node of nodes) {
    played.setNode(node, (found) => ({
      ...found,
      metadata: { ...found.metadata, labels: { ...found.metadata.labels, host: node } },
    }));
    const made = withoutIdentity(setting(nameOf(node), { cpu: '1' }));
    const spec = { ...made.spec, nodeSelector: { matchLabels: { host: node } } };
    played.world.put(extendedDaemonsetSettings, { ...made, spec });
  }
  played.play(600);
  const processors = (): readonly unknown[] =>
    played.world.list(pods).map(({ spec }) => spec?.containers[0]?.resources?.requests?.['cpu']);
  expect(processors()).toEqual(nodes.map(() => '1'));
  for (const node of nodes)
    played.world.remove(extendedDaemonsetSettings, { namespace: 'edge', name: nameOf(node) });
  for (let batch = 0; batch < 60; batch += 1) played.play(10);
  expect(processors()).toEqual(nodes.map(() => undefined));
  const { resourceVersion } = played.replicaSetOf('agent:1').metadata;
  for (let batch = 0; batch < 10; batch += 1) played.play(10);
  expect(played.replicaSetOf('agent:1').metadata.resourceVersion).toBe(resourceVersion);
});

describe('a setting that goes while pods of another one that is gone are still to be replaced', () => {
  /** The setting `first` of the nodes b, c and d has been gone for longer than ten seconds, and one or two of their pods are replaced. Now `second` of node a goes. */
  function gone(): PlayedCanary {
    const played = new PlayedCanary({ nodes: ['a', 'b', 'c', 'd'] });
    for (const [name, group] of Object.entries({ a: 'second', b: 'first', c: 'first', d: 'first' }))
      played.setNode(name, (found) => withLabels(found, { group }));
    for (const group of ['first', 'second']) give(played, group);
    played.play(120);
    expect(processorsOf(played)).toEqual({ a: '1', b: '1', c: '1', d: '1' });
    take(played, 'first');
    played.play(20);
    const left = Object.values(processorsOf(played)).filter((each) => each === '1').length;
    expect([2, 3]).toContain(left);
    take(played, 'second');
    played.play();
    return played;
  }

  it('has ten seconds of its own: no pod restarts where it comes back', () => {
    const played = gone();
    const before = podOf(played, 'a');
    playSecondsOf(played, 8);
    expect(podOf(played, 'a')).toBe(before);
    give(played, 'second');
    played.play(120);
    expect(podOf(played, 'a')).toBe(before);
    expect(processorsOf(played)).toEqual({ a: '1', b: undefined, c: undefined, d: undefined });
  });

  it('has ten seconds of its own again where it was back meanwhile', () => {
    const played = gone();
    const before = podOf(played, 'a');
    playSecondsOf(played, 5);
    give(played, 'second');
    playSecondsOf(played, 1);
    take(played, 'second');
    playSecondsOf(played, 8);
    expect(podOf(played, 'a')).toBe(before);
  });

  it('has no more than that, and holds the pods of the other one no longer', () => {
    const played = gone();
    const before = Object.values(processorsOf(played)).filter((each) => each === '1').length;
    playSecondsOf(played, 9);
    expect(Object.values(processorsOf(played)).filter((each) => each === '1').length).toBeLessThan(before);
    played.play(60);
    expect(Object.values(processorsOf(played))).toEqual([undefined, undefined, undefined, undefined]);
  });
});

function playSecondsOf(played: PlayedCanary, seconds: number): void {
  for (let second = 0; second < seconds; second += 1) {
    played.world.now += 1000;
    played.play();
  }
}

function withLabels(found: Stored<Node>, labels: Readonly<Record<string, string>>): object {
  return { ...found, metadata: { ...found.metadata, labels: { ...found.metadata.labels, ...labels } } };
}

/** The setting for nodes with its name as their group. */
function give(played: PlayedCanary, group: string): void {
  const made = withoutIdentity(setting(group, { cpu: '1' }));
  const spec = { ...made.spec, nodeSelector: { matchLabels: { group } } };
  played.world.put(extendedDaemonsetSettings, { ...made, spec });
}

function take(played: PlayedCanary, name: string): void {
  played.world.remove(extendedDaemonsetSettings, { namespace: 'edge', name });
}

function processorsOf(played: PlayedCanary): Readonly<Record<string, unknown>> {
  const all = played.world.list(pods);
  return Object.fromEntries(
    all.map(({ spec }) => [spec?.nodeName, spec?.containers[0]?.resources?.requests?.['cpu']]),
  );
}

function podOf(played: PlayedCanary, node: string): string | undefined {
  return played.world.list(pods).find(({ spec }) => spec?.nodeName === node)?.metadata.uid;
}
