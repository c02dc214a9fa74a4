import { extendedDaemonSetLabels, type ExtendedDaemonsetSetting } from '@atoll/api';
import type { Pod, Stored } from '@atoll/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide.ts';
import {
  agent,
  node,
  nodesNamed,
  now,
  podOn,
  replicaSet,
  setting,
  settingsGone,
  snapshotOf,
  template,
} from '../extended-daemon-set.fixture.ts';
import { plan } from '../plan.ts';
import { report } from '../report.ts';
import { nodeHashOf, nodeResources } from './node-resources.ts';
import { hasOverrides, podOverrides, withOverrides } from './pod-overrides.ts';
import { resolveSettings } from './resolve-settings.ts';

const key = 'resources.extendeddaemonset.datadoghq.com/edge.agent.agent';
const object = { namespace: 'edge', name: 'agent' };

const limiting = {
  ...setting('s'),
  spec: { ...setting('s').spec, containers: [{ name: 'agent', resources: { limits: { cpu: '1' } } }] },
};

/** Templates are not typed. */
function withContainers(containers: unknown): ReturnType<typeof agent> {
  const found = agent('agent:1');
  const spec = { containers: containers as NonNullable<typeof found.spec.template.spec>['containers'] };
  return { ...found, spec: { ...found.spec, template: { ...found.spec.template, spec } } };
}

const refusedContainers = [{ name: 'agent', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }];

describe('the overrides of a node', () => {
  it('are those of the annotation where setting and annotation name the same container', () => {
    const found = node('a', { annotations: { [key]: '{"limits":{"memory":"1Gi"}}' } });
    const { containers } = podOverrides(template('x'), object, found, setting('s'));
    expect([...containers]).toEqual([['agent', { resources: { limits: { memory: '1Gi' } } }]]);
  });

  describe('that a setting makes of more than resources', () => {
    const env = [
      { name: 'LEVEL', value: 'debug' },
      { name: 'ZONE', value: 'far' },
    ];
    const more = (spec: object): Stored<ExtendedDaemonsetSetting> => ({
      ...setting('s'),
      spec: { ...setting('s').spec, ...spec },
    });
    const ofTemplate = template('x');
    const made = {
      ...ofTemplate,
      spec: {
        containers: [
          {
            name: 'agent',
            image: 'x',
            env: [
              { name: 'LEVEL', value: 'info' },
              { name: 'URL', value: '$(LEVEL)' },
            ],
          },
        ],
        initContainers: [{ name: 'setup', image: 'x' }],
      },
    };
    const overridesOf = (spec: object, annotations = {}) =>
      podOverrides(made, object, node('a', { annotations }), more(spec));

    it('replace variables in their place and add the others, beside the resources of an annotation', () => {
      const { containers } = overridesOf(
        { containers: [{ name: 'agent', env }] },
        { [key]: '{"limits":{"cpu":"1"}}' },
      );
      expect(withOverrides(made.spec.containers, containers)).toEqual([
        {
          name: 'agent',
          image: 'x',
          resources: { limits: { cpu: '1' } },
          env: [
            { name: 'LEVEL', value: 'debug' },
            { name: 'URL', value: '$(LEVEL)' },
            { name: 'ZONE', value: 'far' },
          ],
        },
      ]);
    });

    it('change init containers of the template, and none that it does not have', () => {
      const resources = { requests: { cpu: '2' } };
      const { initContainers } = overridesOf({
        containers: [],
        initContainers: [
          { name: 'setup', resources },
          { name: 'other', resources },
        ],
      });
      expect([...initContainers]).toEqual([['setup', { resources }]]);
      expect(withOverrides(made.spec.initContainers, initContainers)).toEqual([
        { name: 'setup', image: 'x', resources },
      ]);
    });

    it('have a hash of their own, whatever the order is', () => {
      const hashOf = (spec: object) => overridesOf(spec).hash;
      const both = [
        { name: 'agent', env },
        { name: 'setup', env },
      ];
      const hashes = [
        hashOf({ containers: [] }),
        hashOf({ containers: [{ name: 'agent', env }] }),
        hashOf({ containers: [], initContainers: [{ name: 'setup', env }] }),
      ];
      expect(new Set(hashes).size).toBe(3);
      expect(hashOf({ containers: both })).toBe(hashOf({ containers: both.toReversed() }));
    });

    it('keep their hash from release to release: pods carry it, and another one would replace all of them', () => {
      const resources = { requests: { cpu: '0.5', memory: '1Gi' }, limits: { cpu: 1 } };
      const { hash } = overridesOf({
        containers: [{ name: 'agent', resources, env }],
        initContainers: [{ name: 'setup', resources }],
      });
      expect(hash).toBe('cstb7g2lm6');
    });

    it('are on no pod of the old operator', () => {
      const pod = podOn('a', replicaSet(1));
      const old = { ...pod, metadata: { ...pod.metadata, annotations: {} } };
      expect(hasOverrides(old, overridesOf({ containers: [{ name: 'agent', env }] }))).toBe(false);
      expect(
        hasOverrides(old, overridesOf({ containers: [], initContainers: [{ name: 'setup', env }] })),
      ).toBe(false);
      expect(hasOverrides(old, overridesOf({ containers: [] }))).toBe(true);
    });
  });

  it('are those of an annotation that has null, which is nothing, as for the old operator', () => {
    const { resources, problems } = nodeResources(
      { [key]: '{"limits":null,"requests":{"cpu":"1"}}' },
      object,
      ['agent'],
    );
    expect([...resources]).toEqual([['agent', { requests: { cpu: '1' } }]]);
    expect(problems).toEqual([]);
  });

  it.each([['setup'], [[null]], [null]])('are read beside init containers that are %j', (initContainers) => {
    const given = { ...template('x'), spec: { ...template('x').spec, initContainers } };
    const annotated = node('a', { annotations: { [key]: '{"limits":{"cpu":"1"}}' } });
    const { containers } = podOverrides(given as never, object, annotated, setting('s'));
    expect([...containers.keys()]).toEqual(['agent']);
  });

  it('are not those of another object, and have no hash then', () => {
    const annotations = {
      'resources.extendeddaemonset.datadoghq.com/edge.other.agent': '{"limits":{"cpu":"1"}}',
      'resources.extendeddaemonset.datadoghq.com/north.agent.agent': '{"limits":{"cpu":"1"}}',
    };
    const none = { resources: new Map(), problems: [], unknown: [], nodeHash: undefined };
    expect(nodeResources(annotations, object, ['agent'])).toEqual(none);
  });

  it('are hashed as the old operator hashes annotations', () => {
    const pair = 'resources.extendeddaemonset.datadoghq.com/bar.foo.daemons={"limits":{"cpu": "1"}}';
    expect(nodeHashOf([pair])).toBe('bc9eacb89b7a44531492e87a37922dc3');
  });

  it('are not those of an object whose name begins with its own and a dot', () => {
    const annotations = {
      'resources.extendeddaemonset.datadoghq.com/edge.agent.other.agent': '{"limits":{"cpu":"1"}}',
    };
    expect(nodeResources(annotations, object, ['agent']).resources.size).toBe(0);
  });

  it.each([
    ['no JSON', '{', 'is no JSON'],
    ['no object', '[]', 'is no object'],
    ['null', 'null', 'is no object'],
    ['a text', '"2"', 'is no object'],
    ['no quantity', '{"limits":{"cpu":"much"}}', 'cannot be used: limits.cpu is "much"'],
    [
      'more than its limit',
      '{"requests":{"cpu":2},"limits":{"cpu":1}}',
      'cannot be used: requests.cpu is 2; it must not be more than limits.cpu, which is 1',
    ],
  ])('are none where the annotation is %s, and the annotation is named', (_, text, problem) => {
    const { resources, problems } = nodeResources({ [key]: text }, object, ['agent']);
    expect(resources.size).toBe(0);
    expect(problems[0]).toContain(`${key} ${problem}`);
  });
});

describe('a pod that was made with a setting which is gone, or selects its node no more', () => {
  const active = replicaSet(1, { conditions: [settingsGone(60)] });
  const labels = { [extendedDaemonSetLabels.settingName]: 'big-nodes' };
  const decided = (
    made: Readonly<Record<string, string>>,
    settings: Parameters<typeof resolveSettings>[0],
  ) => {
    const pod = podOn('a', active);
    const annotations = { 'extendeddaemonset.datadoghq.com/templatehash': 'hash-1', ...made };
    const found = {
      ...pod,
      metadata: { ...pod.metadata, annotations, labels: { ...pod.metadata.labels, ...labels } },
    };
    const status = { activeReplicaSet: active.metadata.name };
    const snapshot = snapshotOf({
      object: agent('agent:1', { status }),
      nodes: nodesNamed('a'),
      replicaSets: [active],
      pods: [found],
      settings,
    });
    const decision = decide(snapshot, now);
    const deleted = plan(snapshot, decision, now).stages.flatMap(({ steps }) =>
      steps.flatMap(({ do: does, target }) => (does === 'delete' ? [target] : [])),
    );
    return { deleted, holds: decision.holds };
  };

  it.each([
    ['gone', []],
    ['narrowed', [setting('big-nodes', { labels: { size: 'large' } })]],
  ])('stays where the old operator made it, as under that, and is reported: %s', (_title, settings) => {
    const { deleted, holds } = decided({}, settings);
    expect(deleted).toEqual([]);
    expect(holds).toMatchObject([
      { reason: 'OldRenderingKept', waitsFor: 'time', targets: ['a'], bad: false },
    ]);
  });

  it('is replaced where Atoll made it', () => {
    const { deleted, holds } = decided({ 'atoll.dev/overrides-hash': 'of-big-nodes' }, []);
    expect(deleted).toEqual(['a']);
    expect(holds).toEqual([]);
  });

  it('is replaced where another setting asks for other resources', () => {
    expect(decided({}, [limiting])).toEqual({ deleted: ['a'], holds: [] });
  });
});

describe('settings', () => {
  it('that share a node: the newest applies, and the older one says with which it is in conflict', () => {
    const { byNode, errors } = resolveSettings(
      [setting('old', { age: 200 }), setting('new')],
      nodesNamed('a'),
    );
    expect(byNode.get('a')?.metadata.name).toBe('new');
    expect([...errors]).toEqual([
      ['uid-new', undefined],
      ['uid-old', 'conflict with another ExtendedDaemonsetSetting: new'],
    ]);
  });

  it('of one second that share a node: the last by name applies, as in the old operator', () => {
    const { byNode, errors } = resolveSettings([setting('a'), setting('b')], nodesNamed('n'));
    expect(byNode.get('n')?.metadata.name).toBe('b');
    expect(errors.get('uid-a')).toBe('conflict with another ExtendedDaemonsetSetting: b');
  });

  it('whose init containers the API server would refuse report the field', () => {
    const one = setting('s');
    const spec = { ...one.spec, containers: [], initContainers: refusedContainers };
    const { errors } = resolveSettings([{ ...one, spec }], nodesNamed('a'));
    expect(errors.get('uid-s')).toMatch(/^spec\.initContainers\[agent\]\.resources\.requests\.cpu is 2;/);
  });

  it('that come to many which share a node change what one of these says, and no other', () => {
    const many = Array.from({ length: 20 }, (_, index) => setting(`s${index}`, { age: 100 - index }));
    const errorsOf = (settings: typeof many) => resolveSettings(settings, nodesNamed('a', 'b')).errors;
    const [before, after] = [errorsOf(many), errorsOf([...many, setting('newest', { age: 1 })])];
    const changed = [...before].filter(([uid, error]) => after.get(uid) !== error);
    expect(changed).toEqual([['uid-s19', undefined]]);
    expect(after.get('uid-s19')).toBe('conflict with another ExtendedDaemonsetSetting: newest');
  });

  it('that name no object report it', () => {
    const { byNode, errors } = resolveSettings([setting('s', { of: '' })], nodesNamed('a'));
    expect(byNode.size).toBe(0);
    expect(errors.get('uid-s')).toBe('missing reference in spec');
  });

  it('whose selector cannot be understood cost no pod that was made with them', () => {
    const nodeSelector = { matchExpressions: [{ key: 'x', operator: 'In' as const, values: [] }] };
    const found = { ...limiting, spec: { ...limiting.spec, nodeSelector } };
    const active = replicaSet(1);
    const made = podOn('a', active, { annotations: { 'atoll.dev/overrides-hash': 'of-s' } });
    const labels = { 'extendeddaemonsetsetting.datadoghq.com/name': 's' };
    const snapshot = snapshotOf({
      object: agent('agent:1'),
      nodes: nodesNamed('a', 'b'),
      replicaSets: [active],
      pods: [{ ...made, metadata: { ...made.metadata, labels } }],
      settings: [found],
    });
    const { active: rolling } = decide(snapshot, now).fleet ?? {};
    expect(rolling?.deleted).toEqual([]);
    expect(rolling?.created.map(({ target }) => target.id)).toEqual(['b']);
  });

  it('are judged anew when nodes change (BUG-11)', () => {
    const [x, y] = [setting('x', { labels: { a: '1' } }), setting('y', { labels: { b: '1' }, age: 50 })];
    const apart = [node('m', { labels: { a: '1' } }), node('n', { labels: { b: '1' } })];
    expect([...resolveSettings([x, y], apart).errors.values()]).toEqual([undefined, undefined]);
    const together = [node('m', { labels: { a: '1', b: '1' } })];
    expect(resolveSettings([x, y], together).errors.get('uid-x')).toContain('conflict');
    // Nor does what their statuses say decide anything.
    const settings = [x, y].map((each) => ({ ...each, status: { status: 'valid' } }));
    const snapshot = snapshotOf({ nodes: together, settings });
    const written = report(snapshot, decide(snapshot, now), { results: [] }, now);
    expect(written.find(({ object: { metadata } }) => metadata.name === 'x')?.status).toMatchObject({
      status: 'error',
    });
  });

  it('report it in their status, also where their object does not exist', () => {
    const settings = [setting('old', { age: 200 }), setting('new')];
    const snapshot = { ...snapshotOf({ nodes: nodesNamed('a'), settings }), owner: undefined };
    const written = report(snapshot, decide(snapshot, now), { results: [] }, now);
    const error = 'conflict with another ExtendedDaemonsetSetting: new';
    const ready = { type: 'Ready', status: 'True', reason: 'SettingUnused', observedGeneration: 3 };
    const conflict = { type: 'Ready', status: 'False', message: expect.stringContaining(error) };
    expect(written.map(({ object: each, status }) => [each.metadata.name, status])).toMatchObject([
      ['old', { observedGeneration: 3, status: 'error', error, conditions: [conflict, {}, {}, {}] }],
      ['new', { observedGeneration: 3, status: 'valid', conditions: [ready, {}, {}] }],
    ]);
    expect(written[1]?.status).not.toHaveProperty('error');
    // Nothing is written again while it stays so.
    const stored = written.map(({ object: each, status }) => ({ ...each, status }));
    const later = now + 3_600_000;
    const after = { ...snapshot, settings: stored as typeof settings };
    const again = report(after, decide(after, later), { results: [] }, later);
    expect(again.map(({ status }) => status)).toEqual(written.map(({ status }) => status));
  });

  it.each([
    {
      of: 'the name of an object that does not exist',
      settings: [setting('s')],
      object: undefined,
      message:
        'no pod is made with it: there is no ExtendedDaemonSet agent in this namespace. Create it, or correct spec.reference.name',
    },
    {
      of: 'a selector that matches no node',
      settings: [setting('s', { labels: { size: 'large' } })],
      object: agent('agent:1'),
      message:
        'no pod is made with it: spec.nodeSelector matches no node. Label a node, or correct the selector',
    },
    {
      of: 'a container that the template does not have',
      settings: [{ ...limiting, spec: { ...limiting.spec, containers: [{ name: 'agnet' }] } }],
      object: agent('agent:1'),
      message:
        'spec.containers[agnet] changes no pod: the template of agent has no container of that name, but agent. Correct the name',
    },
    {
      of: 'an init container of a template that has none',
      settings: [{ ...limiting, spec: { ...limiting.spec, initContainers: [{ name: 'setup' }] } }],
      object: agent('agent:1'),
      message:
        'spec.initContainers[setup] changes no pod: the template of agent has no init container. Correct the name',
    },
    {
      of: 'an object whose containers are no list, which the API server refuses',
      settings: [setting('s')],
      object: withContainers({ agent: { image: 'x' } }),
      message:
        'spec.containers[agent] changes no pod: the template of agent has no container. Correct the name',
    },
    {
      of: 'an object whose containers are null, which the API server refuses',
      settings: [setting('s')],
      object: withContainers([null]),
      message:
        'spec.containers[agent] changes no pod: the template of agent has no container. Correct the name',
    },
    {
      of: 'all that it needs',
      settings: [limiting],
      object: agent('agent:1'),
      message: 'it is used for the nodes that it selects',
    },
  ])('with $of are valid, and show whether pods are made with them', ({ settings, object, message }) => {
    const found = snapshotOf({
      nodes: nodesNamed('a'),
      settings,
      ...(object === undefined ? {} : { object }),
    });
    const snapshot = object === undefined ? { ...found, owner: undefined } : found;
    const written = report(snapshot, decide(snapshot, now), { results: [] }, now);
    const reason = message.startsWith('it is used') ? 'SettingValid' : 'SettingUnused';
    expect(written.find(({ object: { metadata } }) => metadata.name === 's')?.status).toMatchObject({
      status: 'valid',
      conditions: [{ type: 'Ready', status: 'True', reason, message }, {}, {}],
    });
  });

  it('name a container that only an earlier template has, whose pods are made with them', () => {
    const active = replicaSet(1);
    const object = agent('agent:1');
    const other = { ...object.spec.template, spec: { containers: [{ name: 'other', image: 'x' }] } };
    const snapshot = snapshotOf({
      object: { ...object, spec: { ...object.spec, template: other } },
      nodes: nodesNamed('a'),
      replicaSets: [active],
      settings: [limiting],
    });
    const written = report(snapshot, decide(snapshot, now), { results: [] }, now);
    expect(written.find(({ object: { metadata } }) => metadata.name === 's')?.status).toMatchObject({
      conditions: [{ reason: 'SettingValid' }, {}, {}],
    });
  });

  it('apply to at most one another for each node, in whatever order they are listed', () => {
    const labels = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2'));
    fc.assert(
      fc.property(
        fc.array(labels, { maxLength: 5 }),
        fc.array(labels, { maxLength: 5 }),
        (selectors, nodeLabels) => {
          const settings = selectors.map((each, index) => setting(`s${index}`, { labels: each, age: index }));
          const fleet = nodeLabels.map((each, index) => node(`n${index}`, { labels: each }));
          const [one, other] = [
            resolveSettings(settings, fleet),
            resolveSettings(settings.toReversed(), fleet),
          ];
          expect(other.byNode).toEqual(one.byNode);
          expect(new Map(other.errors)).toEqual(new Map(one.errors));
          for (const each of one.byNode.values()) expect(one.errors.get(each.metadata.uid)).toBeUndefined();
        },
      ),
    );
  });
});

describe('a pod', () => {
  // Where it is gone, that was a minute ago.
  const active = replicaSet(1, { conditions: [settingsGone(60)] });

  function deletedWith(
    pods: readonly Stored<Pod>[],
    settings: readonly Stored<ExtendedDaemonsetSetting>[],
    annotations: Readonly<Record<string, string>> = {},
  ): number {
    const strategy = { reconcileFrequency: '0s' };
    const snapshot = snapshotOf({
      object: agent('agent:1', { strategy }),
      nodes: [node('a', { annotations })],
      replicaSets: [active],
      pods,
      settings,
    });
    return decide(snapshot, now).fleet?.active?.deleted.length ?? 0;
  }

  /** As a plan makes it. */
  function made(
    settings: readonly Stored<ExtendedDaemonsetSetting>[],
    annotations: Readonly<Record<string, string>> = {},
  ) {
    const snapshot = snapshotOf({ nodes: [node('a', { annotations })], replicaSets: [active], settings });
    const step = plan(snapshot, decide(snapshot, now), now)
      .stages.flatMap(({ steps }) => steps)
      .find(({ why }) => why.word === 'PodCreated');
    if (step?.do !== 'create') throw new Error('no pod is made');
    const pod = step.object as Pod;
    const found = podOn('a', active);
    return {
      ...found,
      metadata: { ...found.metadata, ...pod.metadata },
      spec: { ...pod.spec, nodeName: 'a', containers: pod.spec?.containers ?? [] },
    };
  }

  it('is left alone when setting and annotation disagree, once it is made with the result (BUG-9)', () => {
    const annotations = { [key]: '{"requests":{"cpu":2}}' };
    const pod = made([setting('s')], annotations);
    expect(pod.spec.containers[0]?.resources).toEqual({ requests: { cpu: '2' } });
    expect(deletedWith([pod], [setting('s')], annotations)).toBe(0);
  });

  it.each<readonly [string, readonly Stored<ExtendedDaemonsetSetting>[], number]>([
    ['stays while its setting does', [setting('s')], 0],
    ['stays when the amount is written differently', [setting('s', { cpu: '1000m' })], 0],
    ['is replaced when its setting goes (BUG-11)', [], 1],
    ['is replaced when its setting changes', [setting('s', { cpu: '2' })], 1],
    [
      'stays when a setting of another object appears (BUG-12)',
      [setting('s'), setting('t', { of: 'other', age: 1 })],
      0,
    ],
  ])('made with a setting %s', (_, settings, deleted) => {
    const own = settings.filter(({ spec }) => spec.reference.name === 'agent');
    expect(deletedWith([made([setting('s')])], own)).toBe(deleted);
  });

  // As when the definition of settings is deleted, and they are restored: see docs/operating/install.md.
  it('is replaced when its setting goes, and again when that is back, but not where updates are paused meanwhile', () => {
    const own = setting('s');
    const back = { ...own, metadata: { ...own.metadata, uid: 'uid-restored' } };
    expect(deletedWith([made([own])], [])).toBe(1);
    expect(deletedWith([made([])], [back])).toBe(1);
    expect(deletedWith([made([own])], [back])).toBe(0);
    const paused = { 'extendeddaemonset.datadoghq.com/rolling-update-paused': 'true' };
    const object = agent('agent:1', { strategy: { reconcileFrequency: '0s' }, annotations: paused });
    const pods = [made([own])];
    const { fleet } = decide(snapshotOf({ object, nodes: [node('a')], replicaSets: [active], pods }), now);
    expect(fleet?.active?.deleted).toEqual([]);
  });

  describe('made with a setting that a newer one is in conflict with now', () => {
    const [own, newer] = [setting('s'), setting('newer', { cpu: '2', labels: { size: 'xl' }, age: 1 })];
    const nodes = [node('a'), node('b', { labels: { size: 'xl' } })];
    const pods = ['a', 'b'].map((name) => {
      const pod = podOn(name, active);
      const { labels, annotations } = made([own]).metadata;
      return { ...pod, metadata: { ...pod.metadata, labels, annotations } } as Stored<Pod>;
    });
    const decided = (settings: readonly Stored<ExtendedDaemonsetSetting>[], on = nodes) => {
      const strategy = {
        reconcileFrequency: '0s',
        rollingUpdate: {
          slowStartIntervalDuration: '1ms',
          slowStartAdditiveIncrease: 250,
          maxUnavailable: 2,
        },
      };
      const object = agent('agent:1', { strategy });
      return decide(snapshotOf({ object, nodes: on, replicaSets: [active], pods, settings }), now);
    };
    const deleted = (...of: Parameters<typeof decided>) =>
      decided(...of).fleet?.active?.deleted.map(({ target }) => target.id);

    it('is replaced where the newer one selects its node, stays elsewhere, and the object names why', () => {
      expect(deleted([own, newer])).toEqual(['b']);
      expect(decided([own, newer]).holds).toContainEqual(
        expect.objectContaining({
          reason: 'InvalidOverride',
          targets: ['a'],
          problem:
            'the ExtendedDaemonsetSetting s cannot be used: conflict with another ExtendedDaemonsetSetting: newer (node a)',
        }),
      );
    });

    it('is replaced when its setting goes all the same, or does not select its node any more', () => {
      expect(deleted([newer])).toEqual(['a', 'b']);
      const moved = { ...own, spec: { ...own.spec, nodeSelector: { matchLabels: { size: 'xl' } } } };
      expect(deleted([moved, newer])).toEqual(['a', 'b']);
    });

    it('has its setting again when the newer one goes', () => {
      expect(deleted([own])).toEqual([]);
    });
  });

  it('is not deleted for resources that the API server would refuse', () => {
    const refused = { ...setting('s'), spec: { ...setting('s').spec, containers: refusedContainers } };
    expect(deletedWith([made([setting('s')])], [refused])).toBe(0);
    expect(deletedWith([made([])], [refused])).toBe(0);
    const annotated = made([], { [key]: '{"requests":{"cpu":"1"}}' });
    expect(deletedWith([annotated], [], { [key]: '{"requests":{"cpu":"2"},"limits":{"cpu":"1"}}' })).toBe(0);
    expect(deletedWith([annotated], [], { [key]: '{"requests":' })).toBe(0);
  });

  it('is made without a setting that the API server would refuse, which reports what is wrong with it', () => {
    const refused = { ...setting('s'), spec: { ...setting('s').spec, containers: refusedContainers } };
    const pod = made([refused]);
    expect(pod.spec.containers[0]?.resources).toBeUndefined();
    expect(pod.metadata.labels).not.toHaveProperty(['extendeddaemonsetsetting.datadoghq.com/name']);
    const snapshot = snapshotOf({ nodes: nodesNamed('a'), replicaSets: [active], settings: [refused] });
    const decision = decide(snapshot, now);
    const error =
      'spec.containers[agent].resources.requests.cpu is 2; it must not be more than limits.cpu, which is 1';
    const written = report(snapshot, decision, { results: [] }, now);
    expect(written.find(({ object: { metadata } }) => metadata.name === 's')?.status).toMatchObject({
      status: 'error',
      error,
    });
    expect(decision.holds).toContainEqual(
      expect.objectContaining({
        reason: 'InvalidOverride',
        problem: `the ExtendedDaemonsetSetting s cannot be used: ${error} (node a)`,
      }),
    );
  });

  it.each<
    readonly [
      string,
      Pod['metadata']['annotations'],
      object,
      readonly Stored<ExtendedDaemonsetSetting>[],
      Readonly<Record<string, string>>,
      number,
    ]
  >([
    ['without overrides', {}, {}, [], {}, 0],
    [
      'with its setting, and more from a LimitRange',
      {},
      { requests: { cpu: '1', memory: '1Gi' } },
      [setting('s')],
      {},
      0,
    ],
    ['that lacks what its setting asks for', {}, { requests: { cpu: '500m' } }, [setting('s')], {}, 1],
    [
      'with the annotation of its node',
      { 'extendeddaemonset.datadoghq.com/nodehash': nodeHashOf([`${key}={"requests":{"cpu":"2"}}`]) },
      { requests: { cpu: '2' } },
      [],
      { [key]: '{"requests":{"cpu":"2"}}' },
      0,
    ],
    ['whose node got an annotation', {}, {}, [], { [key]: '{"requests":{"cpu":"2"}}' }, 1],
    [
      'whose node has its annotation no more',
      { 'extendeddaemonset.datadoghq.com/nodehash': nodeHashOf([`${key}={"requests":{"cpu":"2"}}`]) },
      { requests: { cpu: '2' } },
      [],
      {},
      1,
    ],
    ['that lacks a limit of its setting', {}, { requests: { cpu: '1' } }, [limiting], {}, 1],
    [
      'that has the limit of its setting',
      {},
      { requests: { cpu: '1' }, limits: { cpu: '1' } },
      [limiting],
      {},
      0,
    ],
  ])('of the old operator %s', (_, annotations, resources, settings, onNode, deleted) => {
    const found = podOn('a', active);
    const pod = {
      ...found,
      metadata: {
        ...found.metadata,
        annotations: { 'extendeddaemonset.datadoghq.com/templatehash': 'hash-1', ...annotations },
      },
      spec: { ...found.spec, containers: [{ name: 'agent', resources }] },
    };
    expect(deletedWith([pod], settings, onNode)).toBe(deleted);
  });
});
