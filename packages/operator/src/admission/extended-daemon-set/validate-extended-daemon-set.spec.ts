import type { ExtendedDaemonSet } from '@atoll/api';
import { ApiError, type Node, type Reader, type Stored } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import type { AdmissionAnswer } from '@atoll/kube/webhook';
import { describe, expect, it } from 'vitest';
import { agent, node } from '../../extended-daemon-set/extended-daemon-set.fixture.ts';
import { Judge, refusal } from '../trials/judge.fixture.ts';
import { TryChildren } from '../trials/try-children.ts';
import { validateExtendedDaemonSet } from './validate-extended-daemon-set.ts';

const kind = { group: 'datadoghq.com', version: 'v1alpha1', kind: 'ExtendedDaemonSet' };
const counts = { desired: 40, current: 40 };

async function validate(
  object: Stored<ExtendedDaemonSet>,
  old?: Stored<ExtendedDaemonSet>,
  {
    answer,
    mode = 'auto' as const,
    nodes = [],
  }: { answer?: ApiError | Judge['answer']; mode?: 'auto' | 'manual'; nodes?: readonly Stored<Node>[] } = {},
): Promise<{ readonly answer: AdmissionAnswer; readonly asked: number }> {
  const judge = new Judge();
  judge.answer = answer instanceof ApiError ? () => answer : answer;
  const known = { get: () => old } as unknown as Reader<ExtendedDaemonSet>;
  const found = await validateExtendedDaemonSet(
    {
      readers: { extendedDaemonSets: known, nodes: { list: () => nodes } as unknown as Reader<Node> },
      tries: new TryChildren({ client: judge, clock: new FakeClock() }),
      objectDefaults: { canaryValidationMode: mode },
    },
    {
      uid: 'u',
      kind,
      resource: { ...kind, resource: 'extendeddaemonsets' },
      operation: old === undefined ? 'CREATE' : 'UPDATE',
      userInfo: {},
      object,
      ...(old === undefined ? {} : { oldObject: old }),
    },
  );
  return { answer: found, asked: judge.asked.length };
}

function causes(answer: AdmissionAnswer): readonly string[] {
  if (answer.allowed) return [];
  return (answer.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

describe('a canary without nodes', () => {
  const withCanary = (canary: object, annotations = {}) =>
    agent('agent:1', { strategy: { canary }, annotations });
  const warning = (replicas: string) =>
    `spec.strategy.canary.replicas is ${replicas}: a new template is tried on no node, and goes to none until a person validates it with ` +
    'kubectl eds canary validate agent -n edge. Set at least 1, or remove spec.strategy.canary to roll out without a canary';
  const manual = { replicas: 0, validationMode: 'manual' };

  it.each([
    ['by number', withCanary({ replicas: 0 }), [warning('0')]],
    ['by percentage', withCanary({ replicas: '0%' }), [warning('0%')]],
    ['gets none where a person validates each template', withCanary(manual), []],
    [
      'gets none where time alone is to promote it, as with the old operator',
      withCanary({ replicas: 0 }, { 'atoll.dev/canary-promotion': 'AfterDuration' }),
      [],
    ],
    ['gets none where it has a node', withCanary({ replicas: 1 }), []],
  ] as const)('gets a warning: %s', async (_, object, warnings) => {
    expect((await validate(object)).answer).toEqual({ allowed: true, warnings });
    expect((await validate(object, object)).answer.warnings).toEqual([]);
  });

  it('is refused alone where the strategy cannot be carried out', async () => {
    const { answer } = await validate(withCanary({ replicas: -1 }));
    expect(causes(answer)).toHaveLength(1);
    expect(answer.warnings ?? []).toEqual([]);
  });
});

describe('the template', () => {
  it('gets a warning where its containers are never started again, once', async () => {
    const object = agent('agent:1');
    const of = (restartPolicy: string): Stored<ExtendedDaemonSet> => {
      const { template } = object.spec;
      const spec = { containers: [], ...template.spec, restartPolicy };
      return { ...object, spec: { ...object.spec, template: { ...template, spec } } };
    };
    const warning =
      'spec.template.spec.restartPolicy is Never: containers that end are not started again. When all have ended, the pod is deleted and made again, ' +
      'after up to 15 minutes, and a canary has no restarts for autoPause and autoFail to count. Remove the field: the default is Always';
    expect((await validate(of('Never'))).answer).toEqual({ allowed: true, warnings: [warning] });
    expect((await validate(of('Never'), of('Never'))).answer.warnings).toEqual([]);
    expect((await validate(of('Always'))).answer.warnings).toEqual([]);
  });

  it('is tried as a pod, and refused under its own fields', async () => {
    const error = refusal(422, 'Invalid', 'Required value', 'spec.containers[0].image');
    const { answer, asked } = await validate(agent(''), undefined, { answer: error });
    expect(causes(answer)).toEqual(['spec.template.spec.containers[0].image: Required value']);
    expect(asked).toBe(1);
  });

  it('is refused where a field of its metadata is misspelt, which no pod would get', async () => {
    const object = agent('agent:1');
    const template = { ...object.spec.template, metadata: { lables: { team: 'a' } } };
    const misspelt = { ...object, spec: { ...object.spec, template } } as Stored<ExtendedDaemonSet>;
    const { answer } = await validate(misspelt, undefined, {
      answer: (_, { metadata }) =>
        'lables' in metadata
          ? refusal(400, 'BadRequest', 'strict decoding error: unknown field "metadata.lables"')
          : undefined,
    });
    expect(causes(answer)).toEqual(['spec.template.metadata.lables: unknown field']);
  });

  it('is tried without the version of the pod that it was copied from, with which no pod could be made', async () => {
    const object = agent('agent:1');
    const template = { ...object.spec.template, metadata: { resourceVersion: '7', uid: 'u' } };
    const copied = { ...object, spec: { ...object.spec, template } } as Stored<ExtendedDaemonSet>;
    const { answer } = await validate(copied, undefined, {
      answer: (_, { metadata }) =>
        'resourceVersion' in metadata
          ? refusal(500, 'InternalError', 'resourceVersion should not be set on objects to be created')
          : undefined,
    });
    expect(answer).toEqual({ allowed: true, warnings: [] });
  });

  it('is not tried again while it stays the same', async () => {
    const { answer, asked } = await validate(
      agent('agent:1', { strategy: { reconcileFrequency: '1s' } }),
      agent('agent:1'),
    );
    expect([answer.allowed, asked]).toEqual([true, 0]);
  });

  it('of an object that is being deleted is judged by nobody', async () => {
    const object = agent('agent:2');
    const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: 'now' } };
    expect((await validate(going, agent('agent:1'))).asked).toBe(0);
  });

  it('that a quota refuses is allowed with a warning', async () => {
    const error = refusal(403, 'Forbidden', 'exceeded quota');
    const { answer } = await validate(agent('agent:1'), undefined, { answer: error });
    expect(answer).toEqual({
      allowed: true,
      warnings: ['a pod of the template would be refused: exceeded quota'],
    });
  });
});

describe('a change of the template, with a quota that is full', () => {
  const words = 'exceeded quota: q, requested: pods=1, used: pods=40, limited: pods=40';
  const full = refusal(403, 'Forbidden', words);
  const warning = `a pod of the template would be refused: ${words}`;
  const canary = { canary: { replicas: 1 } };
  const running = (image: string, status: object = counts) => agent(image, { strategy: canary, status });
  const having = (object: Stored<ExtendedDaemonSet>, more: object): Stored<ExtendedDaemonSet> => {
    const { template } = object.spec;
    const spec = { containers: [], ...template.spec, ...more };
    return { ...object, spec: { ...object.spec, template: { ...template, spec } } };
  };
  const cpu = (image: string, amount: string) => ({
    containers: [{ name: 'agent', image, resources: { requests: { cpu: amount } } }],
  });

  it.each<[string, Stored<ExtendedDaemonSet>, Stored<ExtendedDaemonSet>, readonly string[]]>([
    ['gets no warning: old pods go first', running('agent:2'), running('agent:1'), []],
    [
      'gets no warning where it asks for what it asked for',
      having(running('agent:2'), cpu('agent:2', '1')),
      having(running('agent:1'), cpu('agent:1', '1')),
      [],
    ],
    [
      'gets one where it asks for more',
      having(running('agent:2'), cpu('agent:2', '2')),
      having(running('agent:1'), cpu('agent:1', '1')),
      [warning],
    ],
    [
      'gets one where another quota may count it',
      having(running('agent:2'), { priorityClassName: 'high' }),
      running('agent:1'),
      [warning],
    ],
    [
      'gets one where nodes have no pod',
      running('agent:2', { desired: 40, current: 39 }),
      running('agent:1', { desired: 40, current: 39 }),
      [warning],
    ],
  ])('%s', async (_, object, old, warnings) => {
    expect((await validate(object, old, { answer: full })).answer).toEqual({ allowed: true, warnings });
  });

  it('gets one where the quota was lowered below its use, so that no old pod makes room', async () => {
    const lowered = refusal(403, 'Forbidden', words.replace('limited: pods=40', 'limited: pods=30'));
    const { answer } = await validate(running('agent:2'), running('agent:1'), { answer: lowered });
    expect(answer.warnings).toEqual([warning.replace('limited: pods=40', 'limited: pods=30')]);
  });

  it('gets the words of a policy', async () => {
    const policy = refusal(403, 'Forbidden', 'violates PodSecurity "restricted"');
    const { answer } = await validate(running('agent:2'), running('agent:1'), { answer: policy });
    expect(answer.warnings).toHaveLength(1);
  });
});

describe('the strategy', () => {
  const early = { canary: { duration: '2h', autoFail: { canaryTimeout: '1h' } } };

  it('that cannot be carried out is refused with the sentence of the condition', async () => {
    const { answer } = await validate(agent('agent:1', { strategy: early }));
    expect(causes(answer)).toEqual([
      'spec.strategy.canary.autoFail.canaryTimeout: is 1h; it must be longer than duration, which is 2h',
    ]);
  });

  it('is read with the mode of the operator', async () => {
    const timeout = { canary: { autoFail: { canaryTimeout: '5m' } } };
    expect((await validate(agent('agent:1', { strategy: timeout }))).answer.allowed).toBe(false);
    const manual = await validate(agent('agent:1', { strategy: timeout }), undefined, { mode: 'manual' });
    expect(manual.answer.allowed).toBe(true);
  });

  it('that an old operator left does not stand in the way of a change of the template', async () => {
    const { answer } = await validate(
      agent('agent:2', { strategy: early }),
      agent('agent:1', { strategy: early }),
    );
    expect(answer.allowed).toBe(true);
  });

  it('that was wrong before is a warning where something else of it changes', async () => {
    const { answer } = await validate(
      agent('agent:1', { strategy: { ...early, rollingUpdate: { maxUnavailable: 1 } } }),
      agent('agent:1', { strategy: { ...early, rollingUpdate: { maxUnavailable: '50%' } } }),
    );
    expect(answer.allowed).toBe(true);
    expect(answer.warnings).toContain(
      'spec.strategy.canary.autoFail.canaryTimeout is 1h; it must be longer than duration, which is 2h',
    );
  });

  it('can be corrected one mistake after the other, and gets no new one', async () => {
    const both = { canary: { ...early.canary, autoPause: { maxRestarts: 9 } } };
    const one = { canary: { ...early.canary, autoPause: { maxRestarts: 2 } } };
    const change = async (to: object, from: object) =>
      (await validate(agent('agent:1', { strategy: to }), agent('agent:1', { strategy: from }))).answer
        .allowed;
    expect([await change(one, both), await change(both, one)]).toEqual([true, false]);
    // A value that means nothing hides no other mistake: neither one that was there, nor one that is new.
    const malformed = { canary: { ...early.canary, noRestartsDuration: '5 min' } };
    const alsoEarly = { canary: { noRestartsDuration: '5 min' } };
    expect([await change(early, malformed), await change(malformed, alsoEarly)]).toEqual([true, false]);
  });
});

describe('a change is answered with what it does to pods that run', () => {
  const rollingUpdate = { maxUnavailable: '10%' };
  const canary = { replicas: 1 };
  const running = (image: string, over: Parameters<typeof agent>[1] = {}) =>
    agent(image, { strategy: { rollingUpdate }, ...over, status: { ...counts, ...over.status } });
  const tried = { status: { canary: { replicaSet: 'agent-2', nodes: ['a'] } } };
  const frozen = { annotations: { 'extendeddaemonset.datadoghq.com/rollout-frozen': 'true' } };

  it.each<[string, Stored<ExtendedDaemonSet>, Stored<ExtendedDaemonSet>, readonly string[]]>([
    [
      'of the template without a canary',
      running('agent:2'),
      running('agent:1'),
      ['this change of the template replaces every pod: 40 pods, up to 4 at once'],
    ],
    [
      'of the template and the canary at once',
      running('agent:2'),
      running('agent:1', { strategy: { rollingUpdate, canary } }),
      ['this change of the template replaces every pod, without a canary: 40 pods, up to 4 at once'],
    ],
    [
      'of the template with a canary',
      running('agent:2', { strategy: { canary } }),
      running('agent:1', { strategy: { canary } }),
      [],
    ],
    [
      'of the strategy, while a canary is under way',
      running('agent:2', tried),
      running('agent:2', { strategy: { rollingUpdate, canary }, ...tried }),
      [
        'without spec.strategy.canary the template that the canary tries goes to all nodes: 40 pods, up to 4 at once',
      ],
    ],
    [
      'of the strategy, after a canary failed and was held',
      running('agent:2', { status: { state: 'Canary Failed' } }),
      running('agent:2', { strategy: { canary }, status: { state: 'Canary Failed' } }),
      [
        'without spec.strategy.canary the template whose canary failed goes to all nodes: 40 pods, up to 4 at once',
      ],
    ],
    [
      'of the selector without the template',
      running('agent:1', { selector: { matchLabels: { zone: 'north' } } }),
      running('agent:1'),
      ['spec.selector has no effect until spec.template changes too: pods stay on the nodes where they are'],
    ],
    ['of a rollout that is frozen', running('agent:2', frozen), running('agent:1', frozen), []],
    ['where no pod runs yet', running('agent:2'), running('agent:1', { status: { current: 0 } }), []],
  ])('%s', async (_, object, old, warnings) => {
    expect((await validate(object, old)).answer).toEqual({ allowed: true, warnings });
  });

  it('with the nodes whose pods end at once, outside of a rollout or of a canary', async () => {
    const nodes = ['a', 'b', 'c', 'd', 'e'].map((name) =>
      node(name, { labels: { disk: name === 'e' ? 'ssd' : 'hdd' } }),
    );
    const onlyOn = (
      object: Stored<ExtendedDaemonSet>,
      nodeSelector: Readonly<Record<string, string>>,
    ): Stored<ExtendedDaemonSet> => {
      const { template } = object.spec;
      const spec = { ...template.spec, nodeSelector };
      return {
        ...object,
        spec: { ...object.spec, template: { ...template, spec } },
      } as Stored<ExtendedDaemonSet>;
    };
    const warned = async (object: Stored<ExtendedDaemonSet>) =>
      (await validate(object, running('agent:1'), { nodes })).answer.warnings?.filter((each) =>
        each.includes('at once, which'),
      );
    const ends =
      'this change deletes the pods of 4 of 5 nodes at once, which the new template does not fit: ';
    const changed = onlyOn(running('agent:1'), { disk: 'ssd' });
    expect(await warned(changed)).toEqual([`${ends}a, b, c and 1 more`]);
    const paused = { 'extendeddaemonset.datadoghq.com/rolling-update-paused': 'true' };
    const ssd = { disk: 'ssd' };
    expect(await warned(onlyOn(running('agent:1', { annotations: paused }), ssd))).toHaveLength(1);
    expect(await warned(onlyOn(running('agent:1', frozen), ssd))).toEqual([]);
    expect(await warned(onlyOn(running('agent:1', { strategy: { canary } }), ssd))).toEqual([]);
    expect(await warned(running('agent:2'))).toEqual([]);
  });
});
