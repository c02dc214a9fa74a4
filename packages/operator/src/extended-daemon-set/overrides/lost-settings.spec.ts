// The definition of ExtendedDaemonsetSettings is deleted, all settings with it, and is installed again.
import { extendedDaemonsetSettings, nodeResourcesAnnotation, replicaSetConditions } from '@atoll/api';
import { definitionName, pods } from '@atoll/kube';
import { expect, it } from 'vitest';
import { PlayedCanary } from '../../../simulation/examples/played-canary.ts';
import { withoutIdentity } from '../../../simulation/messages/without-identity.ts';
import { definitionOf, definitions } from '../../../simulation/model/definitions.ts';
import { nodeOf } from '../../children/pods/placement/node-of-pod.ts';
import { setting } from '../extended-daemon-set.fixture.ts';

const annotation = nodeResourcesAnnotation('edge', 'agent', 'agent');
const key = { name: definitionName(extendedDaemonsetSettings) };

/** All pods were made with the setting `wide`, or that of node a alone, and are Ready. */
class Losing {
  readonly played = new PlayedCanary();
  readonly #labels: Readonly<Record<string, string>>;

  constructor(labels: Readonly<Record<string, string>> = {}) {
    this.#labels = labels;
    this.played.setNode('a', ({ metadata, ...others }) => ({
      ...others,
      metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
    }));
    this.restore();
    this.played.play(120);
  }

  /** The API server deletes the settings before their definition. */
  undefine(): void {
    this.played.world.remove(definitions, key);
    this.take();
    this.played.play(60);
  }

  away(): void {
    this.undefine();
    this.played.world.end(definitions, key);
    this.played.play(60);
  }

  installAgain(): void {
    this.away();
    this.played.world.put(definitions, definitionOf(extendedDaemonsetSettings));
    this.played.play(60);
  }

  restore(cpu = '1'): void {
    this.played.world.put(
      extendedDaemonsetSettings,
      withoutIdentity(setting('wide', { cpu, labels: this.#labels })),
    );
  }

  take(): void {
    this.played.world.end(extendedDaemonsetSettings, { namespace: 'edge', name: 'wide' });
  }

  crash(node: string): void {
    const pod = this.played.world.list(pods).find((each) => nodeOf(each) === node);
    this.played.world.edit(pods, pod?.metadata ?? key, (found) => ({
      ...found,
      status: {
        ...found.status,
        conditions: [{ type: 'Ready', status: 'False' }],
        containerStatuses: [
          {
            name: 'agent',
            image: '',
            imageID: '',
            ready: false,
            restartCount: 1,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
          },
        ],
      },
    }));
  }

  get pods(): readonly string[] {
    return this.played.world.list(pods).map(({ metadata }) => metadata.uid);
  }

  get processors(): readonly unknown[] {
    const all = this.played.world.list(pods);
    return all.map(({ spec }) => spec?.containers[0]?.resources?.requests?.['cpu']);
  }
}

it('replaces no pod while it is away, and none when the settings are restored', () => {
  const losing = new Losing();
  expect(losing.processors).toEqual(['1', '1', '1']);
  const before = losing.pods;
  losing.installAgain();
  expect(losing.pods).toEqual(before);
  losing.restore();
  losing.played.play(60);
  expect(losing.pods).toEqual(before);
  expect(losing.played.condition('Ready')).toMatchObject({ status: 'True' });
});

it('replaces the pods once where the settings are restored with other content', () => {
  const losing = new Losing();
  losing.installAgain();
  const made = new Set(losing.pods);
  losing.restore('2');
  for (let batch = 0; batch < 12; batch += 1) {
    losing.played.play(10);
    for (const uid of losing.pods) made.add(uid);
  }
  expect(losing.processors).toEqual(['2', '2', '2']);
  expect(made.size).toBe(6);
});

it.each([
  ['is being deleted', 'is being deleted', 'undefine'],
  ['is away', 'was deleted', 'away'],
  ['is back', 'was deleted and was installed again at 2026-11-01T10:04:00Z', 'installAgain'],
] as const)('the object says what to do while the definition %s', (_, why, happens) => {
  const losing = new Losing();
  losing[happens]();
  expect(losing.played.condition('Ready')).toMatchObject({
    status: 'False',
    reason: 'SettingUnreadable',
    message: expect.stringContaining(
      `a, b, c: the ExtendedDaemonsetSetting wide, which the pod was made with, does not exist: it may have gone with the definition of ExtendedDaemonsetSettings, which ${why}. Restore it, or delete the pod`,
    ),
  });
});

it('brings a new template to these pods, also where one crashes', () => {
  const losing = new Losing();
  losing.installAgain();
  losing.crash('a');
  losing.played.setCanary(undefined);
  losing.played.setImage('agent:2');
  losing.played.play(120);
  expect(losing.played.images).toEqual({ a: 'agent:2', b: 'agent:2', c: 'agent:2' });
  losing.restore();
  losing.played.play(120);
  expect(losing.processors).toEqual(['1', '1', '1']);
});

it('takes the template of a failed canary back from a pod that was made with a setting', () => {
  const losing = new Losing();
  losing.played.setImage('agent:2');
  losing.played.play(60);
  expect(losing.played.object.status?.state).toBe('Canary');
  losing.installAgain();
  losing.played.setImage('agent:1');
  losing.played.play(120);
  expect(losing.played.images).toEqual({ a: 'agent:1', b: 'agent:1', c: 'agent:1' });
});

it('gives the pods another setting that is made for their nodes', () => {
  const losing = new Losing();
  losing.installAgain();
  losing.played.world.put(
    extendedDaemonsetSettings,
    withoutIdentity(setting('huge', { cpu: '4', labels: {} })),
  );
  losing.played.play(120);
  expect(losing.processors).toEqual(['4', '4', '4']);
});

it('does not count these settings among those that are deleted, so that the times of these have room', () => {
  const losing = new Losing();
  losing.installAgain();
  const { conditions } = losing.played.replicaSetOf('agent:1').status ?? {};
  expect(conditions?.find(({ type }) => type === replicaSetConditions.settingsGone)?.status).not.toBe('True');
});

it('judges a canary by its pods that stay', () => {
  const losing = new Losing();
  losing.played.setImage('agent:2');
  losing.played.play(60);
  expect(losing.played.object.status?.state).toBe('Canary');
  losing.installAgain();
  const crashing = losing.played.world
    .list(pods)
    .find(({ spec }) => spec?.containers[0]?.image === 'agent:2');
  losing.played.world.edit(pods, crashing?.metadata ?? key, (pod) => ({
    ...pod,
    status: {
      ...pod.status,
      containerStatuses: [{ name: 'agent', image: '', imageID: '', ready: true, restartCount: 9 }],
    },
  }));
  losing.played.play(10);
  expect(losing.played.replicaSetOf('agent:2').status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Canary-Failed', status: 'True' }),
  );
});

it('makes the pod without it where a person deletes one, and holds that no more', () => {
  const losing = new Losing();
  losing.installAgain();
  for (const { metadata } of losing.played.world.list(pods)) losing.played.world.remove(pods, metadata);
  losing.played.play(60);
  expect(losing.processors).toEqual([undefined, undefined, undefined]);
  expect(losing.played.condition('Ready')).toMatchObject({ status: 'True' });
});

it('a setting that is deleted later has no effect any more on pods that were made since then', () => {
  const losing = new Losing();
  losing.installAgain();
  losing.restore('2');
  losing.played.play(120);
  expect(losing.processors).toEqual(['2', '2', '2']);
  losing.take();
  losing.played.play(120);
  expect(losing.processors).toEqual([undefined, undefined, undefined]);
});

it('a pod that was made with a setting which changes nothing is not held', () => {
  const losing = new Losing();
  for (const node of ['a', 'b', 'c'])
    losing.played.setNode(node, ({ metadata, ...others }) => ({
      ...others,
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, [annotation]: '{"requests":{"cpu":"1"}}' },
      },
    }));
  const before = losing.pods;
  losing.installAgain();
  expect(losing.pods).toEqual(before);
  expect(losing.played.condition('Ready')).toMatchObject({ status: 'True' });
});
