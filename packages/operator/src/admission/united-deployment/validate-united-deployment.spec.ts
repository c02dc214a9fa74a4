import { describe, expect, it } from 'vitest';
import type { UnitedDeployment } from '@atoll/api';
import type { ApiError, KubeObject, Stored } from '@atoll/kube';
import { refusal } from '../trials/judge.fixture.ts';
import { causesOf, childOf, setting, subsetsOf, templateOf, united } from './united-deployment.fixture.ts';

const image = 'spec.template.spec.containers[0].image';
const noImage = refusal(422, 'Invalid', 'Required value', image);
const newImage = { template: templateOf('Deployment', {}, 'nginx:1.28') };

describe('a new UnitedDeployment', () => {
  it('is allowed without a word where its children are taken, at the price of one question', async () => {
    const { validate, judge } = setting();
    expect(await validate(united())).toEqual({ allowed: true, warnings: [] });
    expect(judge.asked).toEqual([{ verb: 'create', name: expect.stringMatching(/^web-a-/) }]);
  });

  it.each([
    ['Deployment', 'deploymentTemplate'],
    ['StatefulSet', 'statefulSetTemplate'],
    ['AdvancedStatefulSet', 'advancedStatefulSetTemplate'],
    ['CloneSet', 'cloneSetTemplate'],
  ] as const)('of a %s is refused as the API server refuses, under its own fields', async (kind, member) => {
    const { validate, judge } = setting();
    judge.answer = () => noImage;
    const answer = await validate(united({ template: templateOf(kind) }));
    const field = `spec.template.${member}.${image}`;
    expect(answer).toMatchObject({
      allowed: false,
      status: {
        code: 422,
        reason: 'Invalid',
        message: `UnitedDeployment.apps.kruise.io "web" is invalid: ${field}: Required value`,
      },
    });
    expect(causesOf(answer)).toEqual([`${field}: Required value`]);
  });

  it.each<readonly [string, object, readonly string[]]>([
    [
      'a label key',
      { nodeSelectorTerm: { matchExpressions: [{ key: 'a b', operator: 'Exists' }] } },
      ['spec.topology.subsets[1].nodeSelectorTerm.matchExpressions[0].key: subset b: "a b" name must'],
    ],
    [
      'a label value',
      { nodeSelectorTerm: { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y z'] }] } },
      ['spec.topology.subsets[1].nodeSelectorTerm.matchExpressions[0].values[1]: subset b: "y z" must'],
    ],
    [
      'a name that came past the schema',
      { name: 's'.repeat(64) },
      [
        `spec.topology.subsets[1].name: subset ${'s'.repeat(64)}: "${'s'.repeat(64)}" must be no more than 63`,
      ],
    ],
    [
      'a node name',
      { nodeSelectorTerm: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['N_1'] }] } },
      ['spec.topology.subsets[1].nodeSelectorTerm.matchFields[0].values[0]: subset b: "N_1" must consist'],
    ],
    [
      'an operator of a toleration',
      { tolerations: [{ key: 'k', operator: 'exists' }] },
      ['spec.topology.subsets[1].tolerations[0].operator: subset b: "exists" must be Exists or Equal'],
    ],
    [
      'a taint key',
      { tolerations: [{ operator: 'Exists' }, { key: '-', operator: 'Exists' }] },
      ['spec.topology.subsets[1].tolerations[1].key: subset b: "-" name must'],
    ],
    [
      'a taint value',
      { tolerations: [{ key: 'k', value: 'x y' }] },
      ['spec.topology.subsets[1].tolerations[0].value: subset b: "x y" must'],
    ],
    [
      'bounds that contradict each other for every total',
      { minReplicas: '50%', maxReplicas: '30%' },
      [
        'spec.topology.subsets[1].minReplicas: subset b: minReplicas 50% must not be greater than maxReplicas 30%',
      ],
    ],
  ])('is refused for %s of a subset, by the name of the subset', async (_, subset, messages) => {
    const { validate } = setting();
    const answer = await validate(united(subsetsOf({ name: 'a' }, { name: 'b', ...subset })));
    expect(causesOf(answer)).toHaveLength(messages.length);
    for (const [index, message] of messages.entries()) expect(causesOf(answer)[index]).toContain(message);
  });

  it('may have terms, fields and tolerations as Kubernetes has them', async () => {
    const subset = {
      name: 'a',
      nodeSelectorTerm: {
        matchExpressions: [
          { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a', ''] },
          { key: 'cpu', operator: 'Gt', values: ['3'] },
        ],
        matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node.example.com'] }],
      },
      tolerations: [{ operator: 'Exists' }, { key: 'example.com/x', operator: 'Lt', value: '5' }],
      minReplicas: '10%',
      maxReplicas: 3,
    };
    expect(await setting().validate(united(subsetsOf(subset, { name: 'b' })))).toEqual({
      allowed: true,
      warnings: [],
    });
  });

  const comparing = (name: string) => ({ name, tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] });
  /** As of an API server that does not compare taints. */
  const noGate = (object: KubeObject): ApiError | undefined =>
    JSON.stringify(object).includes('"Gt"')
      ? refusal(422, 'Invalid', 'Unsupported value: "Gt"', 'spec.template.spec.tolerations[0].operator')
      : undefined;

  it.each([
    ['the first', [comparing('a'), { name: 'b' }], 0],
    ['another', [{ name: 'a' }, comparing('b')], 1],
  ] as const)(
    'is refused for taints of %s subset that the cluster does not compare, by the name of the subset',
    async (_, subsets, index) => {
      const { validate, judge } = setting();
      judge.answer = (__, object) => noGate(object);
      expect(causesOf(await validate(united(subsetsOf(...subsets))))).toEqual([
        `spec.topology.subsets[${index}].tolerations[0].operator: subset ${subsets[index]?.name}: Unsupported value: "Gt"`,
      ]);
      expect(judge.asked).toHaveLength(index + 1);
    },
  );

  it.each<readonly [string, ApiError, string]>([
    ['a quota', refusal(403, 'Forbidden', 'exceeded quota'), 'would be refused: exceeded quota'],
    ['an API server in trouble', refusal(500, 'InternalError', 'etcd'), 'could not be checked: etcd'],
  ])('is allowed with a warning in spite of %s', async (_, error, warning) => {
    const { validate, judge } = setting();
    judge.answer = () => error;
    expect(await validate(united())).toEqual({
      allowed: true,
      warnings: [`the Deployment of subset a ${warning}`],
    });
  });

  it('is allowed with a warning as long as the caches are not filled', async () => {
    const { validate, judge } = setting({ synced: false });
    expect(await validate(united())).toEqual({
      allowed: true,
      warnings: ['the template was not checked: Atoll has only just started'],
    });
    expect(judge.asked).toEqual([]);
  });

  it('of a kind that cannot be read is allowed with the reason', async () => {
    const { validate, judge } = setting({ synced: false, unreadable: 'clonesets is forbidden' });
    expect(await validate(united({ template: templateOf('CloneSet') }))).toEqual({
      allowed: true,
      warnings: ['the template was not checked: CloneSets cannot be read: clonesets is forbidden'],
    });
    expect(judge.asked).toEqual([]);
  });

  it('of a kind that the cluster has not is allowed with a warning', async () => {
    const { validate, judge } = setting({ kruise: false });
    expect(await validate(united({ template: templateOf('CloneSet') }))).toEqual({
      allowed: true,
      warnings: [
        'nothing runs and the template was not checked: this cluster has no CloneSet, which OpenKruise brings',
      ],
    });
    expect(judge.asked).toEqual([]);
  });

  it('whose template nobody can read is left to the schema', async () => {
    const { validate, judge } = setting();
    expect(await validate(united({ template: {} }))).toEqual({ allowed: true });
    expect(judge.asked).toEqual([]);
  });
});

describe('the warnings about a UnitedDeployment', () => {
  const given = (...shares: readonly unknown[]) =>
    subsetsOf(...shares.map((replicas, index) => ({ name: `s${index}`, replicas })));

  const adaptive = (count: number, windows: object): Partial<UnitedDeployment['spec']> => {
    const subsets = Array.from({ length: count }, (_, index) => ({ name: `s${index}` }));
    return { topology: { subsets, scheduleStrategy: { type: 'Adaptive', adaptive: windows } } };
  };

  it.each<readonly [string, Stored<UnitedDeployment>, readonly RegExp[]]>([
    [
      'numbers that add up to less',
      united({ ...given(2, 3), replicas: 9 }),
      [/add up to 5 .*less than spec\.replicas 9/],
    ],
    [
      'numbers that add up to more',
      united({ ...given(8, '50%'), replicas: 9 }),
      [/more than spec\.replicas 9/],
    ],
    ['numbers that add up', united({ ...given(4, 5), replicas: 9 }), []],
    ['percentages of all, for every total', united({ ...given('50%', '50%'), replicas: 9 }), []],
    [
      'numbers that the total follows',
      united({ ...given(4, 5), replicas: 7 }, { 'atoll.dev/total-of-subsets': '7' }),
      [],
    ],
    [
      'a selector of its own',
      united({ template: templateOf('Deployment', { selector: { matchLabels: { app: 'x' } } }) }),
      [/^spec\.template\.deploymentTemplate\.spec\.selector is ignored/],
    ],
    [
      'replicas in a CloneSet',
      united({ template: templateOf('CloneSet', { replicas: 3 }) }),
      [/^spec\.template\.cloneSetTemplate\.spec\.replicas is ignored/],
    ],
    [
      'a window that ends before the third subset is asked',
      united(adaptive(3, { rescheduleCriticalSeconds: 10, unschedulableDuration: 10 })),
      [/: unschedulableDuration \(10 s\) is not longer than rescheduleCriticalSeconds \(10 s\)/],
    ],
    ['the same window with two subsets', united(adaptive(2, { unschedulableDuration: 10 })), []],
    ['the default windows', united(adaptive(3, {})), []],
  ])('is right for %s, which is never refused', async (_, object, patterns) => {
    const answer = await setting().validate(object);
    expect(answer.allowed).toBe(true);
    expect(answer.warnings).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
  });
});

describe('a change of a UnitedDeployment', () => {
  const children = [childOf('Deployment', 'a', 2), childOf('Deployment', 'b', 3)];
  const going = { ...united(newImage), metadata: { ...united().metadata, deletionTimestamp: 'now' } };

  it.each<readonly [string, Stored<UnitedDeployment>]>([
    ['of annotations', united({}, { a: 'b' })],
    ['of the total', united({ replicas: 9 })],
    ['of the number of a subset', united({ ...subsetsOf({ name: 'a', replicas: 3 }, { name: 'b' }) })],
    ['of the history', united({ revisionHistoryLimit: 3 })],
    ['of partitions', united({ updateStrategy: { manualUpdate: { partitions: { a: 1 } } } })],
    ['of an object that is going', going],
  ])('%s is tried by nobody', async (_, object) => {
    const { validate, judge } = setting({ children });
    judge.answer = () => noImage;
    const { allowed, warnings = [] } = await validate(object, united());
    expect([allowed, warnings, judge.asked]).toEqual([true, [], []]);
  });

  it('of a number is allowed while the template waits to be corrected, and warns of what it means', async () => {
    const { validate } = setting({ children });
    const twelve = subsetsOf({ name: 'a', replicas: 6 }, { name: 'b', replicas: 6 });
    expect(await validate(united(twelve), united())).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('add up to 12')],
    });
  });

  it.each<readonly [string, object, object]>([
    [
      'the number of a subset whose place was stored with a mistake',
      { nodeSelectorTerm: { matchExpressions: [{ key: 'a b', operator: 'Exists' }] } },
      { replicas: 3 },
    ],
    [
      'the patch of a subset whose tolerations were',
      { tolerations: [{ key: 'k', value: 'x y' }] },
      { patch: { metadata: { labels: { tier: 'x' } } } },
    ],
    [
      'the place of a subset whose bounds were',
      { minReplicas: '50%', maxReplicas: '30%' },
      { tolerations: [{ operator: 'Exists' }] },
    ],
  ])('may be of %s', async (_, stored, change) => {
    const { validate } = setting();
    const of = (more: object) => united(subsetsOf({ name: 'a' }, { name: 'b', ...stored, ...more }));
    expect(await validate(of(change), of({}))).toMatchObject({ allowed: true });
    expect(await validate(of(change))).toMatchObject({ allowed: false });
  });

  it('of the template is not refused for where a subset runs, which was stored before', async () => {
    const { validate, judge } = setting();
    judge.answer = () =>
      refusal(422, 'Invalid', 'Unsupported value: "Gt"', 'spec.template.spec.tolerations[0].operator');
    const placed = subsetsOf({ name: 'a', tolerations: [{ key: 'k', operator: 'Gt', value: '5' }] });
    const object = united({ ...newImage, ...placed });
    expect(await validate(object, united(placed))).toEqual({ allowed: true, warnings: [] });
    expect(judge.asked).toHaveLength(1);
  });

  it('of the template is tried as a new child and as a change of one that is there, and warns of what it restarts', async () => {
    const { validate, judge } = setting({ children });
    expect(await validate(united(newImage), united())).toEqual({
      allowed: true,
      warnings: ['this change of the template replaces every pod: 5 pods in 2 subsets, all subsets at once'],
    });
    expect(judge.asked.map(({ verb }) => verb).sort()).toEqual(['apply', 'create']);
    expect(judge.asked.find(({ verb }) => verb === 'apply')?.name).toBe('web-a');
  });

  it('that only an existing child refuses is refused', async () => {
    const { validate, judge } = setting({ children });
    judge.answer = (verb) =>
      verb === 'apply' ? refusal(422, 'Invalid', 'field is immutable', 'spec.ordinals') : undefined;
    expect(causesOf(await validate(united(newImage), united()))).toEqual([
      'spec.template.deploymentTemplate.spec.ordinals: field is immutable',
    ]);
  });

  it.each<readonly [string, Stored<UnitedDeployment>, Stored<UnitedDeployment>, readonly string[]]>([
    [
      'of a template that partitions hold back in part',
      united({
        template: templateOf('StatefulSet', {}, 'nginx:1.28'),
        updateStrategy: { manualUpdate: { partitions: { a: 1, b: 3 } } },
      }),
      united({ template: templateOf('StatefulSet') }),
      ['this change of the template replaces 1 pod in 1 subset'],
    ],
    [
      'of a template that is updated by hand',
      united({ template: templateOf('StatefulSet', { updateStrategy: { type: 'OnDelete' } }, 'nginx:1.28') }),
      united({ template: templateOf('StatefulSet') }),
      [],
    ],
    [
      'to another kind',
      united({ template: templateOf('Deployment') }),
      united({ template: templateOf('StatefulSet') }),
      [
        'the change from StatefulSet to Deployment replaces every pod: 5 pods in 2 subsets are deleted at once',
      ],
    ],
    [
      'to another kind, one after the other',
      united({ template: templateOf('Deployment') }, { 'atoll.dev/subset-removal': 'AfterReplacement' }),
      united({ template: templateOf('StatefulSet') }),
      [
        'the change from StatefulSet to Deployment replaces every pod: 5 pods in 2 subsets are deleted when others have taken their place',
      ],
    ],
    [
      'that removes a subset',
      united({ template: templateOf('StatefulSet'), ...subsetsOf({ name: 'a' }) }),
      united({ template: templateOf('StatefulSet') }),
      ['3 pods in subset b are deleted at once, because the spec no longer has that subset'],
    ],
    [
      'that says the same in other words',
      united({ template: templateOf('StatefulSet', { minReadySeconds: 3 }) }),
      united({ template: templateOf('StatefulSet') }),
      [],
    ],
  ])('%s warns of what becomes of the pods', async (_, object, old, warnings) => {
    const pods = [childOf('StatefulSet', 'a', 2), childOf('StatefulSet', 'b', 3)];
    const { validate } = setting({ children: pods });
    expect(await validate(object, old)).toEqual({ allowed: true, warnings });
  });

  it('names one pod in the singular', async () => {
    const old = united({ template: templateOf('StatefulSet') });
    const { validate } = setting({ children: [childOf('StatefulSet', 'b', 1)] });
    const without = { template: templateOf('StatefulSet'), ...subsetsOf({ name: 'a' }) };
    const later = { 'atoll.dev/subset-removal': 'AfterReplacement' };
    const why = 'because the spec no longer has that subset';
    for (const [object, when] of [
      [united(without), 'at once'],
      [united(without, later), 'when others have taken its place'],
    ] as const) {
      const warnings = [`1 pod in subset b is deleted ${when}, ${why}`];
      expect(await validate(object, old)).toEqual({ allowed: true, warnings });
    }
  });
});
