import { describe, expect, it } from 'vitest';
import { fieldManagers, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import type { ApiError, Stored } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import type { AdmissionAnswer } from '@atoll/kube/webhook';
import { child, pool, readers, withImage, workload } from '../admission.fixture.ts';
import { Judge, refusal } from '../trials/judge.fixture.ts';
import { TryChildren } from '../trials/try-children.ts';
import { validatePoolWorkload } from './validate-pool-workload.ts';
import type { AdmissionReaders } from './workload-facts.ts';

const noImage = refusal(422, 'Invalid', 'Required value', 'spec.template.spec.containers[0].image');
const three = [pool('north'), pool('south'), pool('west')];

function setting(content: Parameters<typeof readers>[0] = { pools: three }) {
  const [judge, clock] = [new Judge(), new FakeClock()];
  const seen: AdmissionReaders = readers(content);
  const tries = new TryChildren({ client: judge, clock });
  const validate = async (
    object: Stored<PoolWorkload>,
    oldObject?: Stored<PoolWorkload>,
  ): Promise<AdmissionAnswer> =>
    validatePoolWorkload(
      { resource: yurtAppDaemons, readers: seen, tries, clock },
      {
        uid: 'u',
        kind: { group: '', version: '', kind: '' },
        resource: { group: '', version: '', resource: '' },
        operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
        userInfo: {},
        object,
        ...(oldObject === undefined ? {} : { oldObject }),
      },
    );
  return { judge, clock, validate };
}

const changed = workload({}, 'deploymentTemplate', withImage('nginx:1.28'));

describe('a new workload', () => {
  it('is allowed without a word where its children are taken', async () => {
    const { validate, judge } = setting();
    expect(await validate(workload())).toEqual({ allowed: true, warnings: [] });
    expect(judge.asked).toHaveLength(1);
  });

  it('is refused as the API server refuses, under its own fields', async () => {
    const { validate, judge } = setting();
    judge.answer = () => noImage;
    const field = 'spec.workloadTemplate.deploymentTemplate.spec.template.spec.containers[0].image';
    expect(await validate(workload())).toEqual({
      allowed: false,
      warnings: [],
      status: {
        kind: 'Status',
        status: 'Failure',
        code: 422,
        reason: 'Invalid',
        message: `YurtAppDaemon.apps.openyurt.io "web" is invalid: ${field}: Required value`,
        details: {
          name: 'web',
          group: 'apps.openyurt.io',
          kind: 'YurtAppDaemon',
          causes: [{ reason: 'FieldValueInvalid', message: 'Required value', field }],
        },
      },
    });
  });

  it('is refused once for the same fault in pools with different taints', async () => {
    const far = pool('far', { taints: [{ key: 'far', effect: 'NoSchedule' }] });
    const { validate, judge } = setting({ pools: [...three, far] });
    judge.answer = () => noImage;
    const answer = await validate(workload());
    expect(judge.asked).toHaveLength(2);
    expect(answer.allowed ? [] : answer.status.details?.causes).toHaveLength(1);
  });

  it.each<readonly [string, ApiError, string]>([
    [
      'a quota',
      refusal(403, 'Forbidden', 'exceeded quota'),
      'the Deployment of pool north would be refused: exceeded quota',
    ],
    [
      'an API server in trouble',
      refusal(500, 'InternalError', 'etcd'),
      'the Deployment of pool north could not be checked: etcd',
    ],
  ])('is allowed with a warning in spite of %s', async (_, error, warning) => {
    const { validate, judge } = setting();
    judge.answer = () => error;
    expect(await validate(workload())).toEqual({ allowed: true, warnings: [warning] });
  });

  it('is allowed with a warning as long as the caches are not filled', async () => {
    const { validate, judge } = setting({ synced: false });
    expect(await validate(workload())).toEqual({
      allowed: true,
      warnings: ['the template was not checked: Atoll has only just started'],
    });
    expect(judge.asked).toEqual([]);
  });

  it('whose template nobody can read is left to the schema', async () => {
    const { validate, judge } = setting();
    expect(await validate(workload({ workloadTemplate: {} }))).toEqual({ allowed: true });
    expect(judge.asked).toEqual([]);
  });
});

describe('a question', () => {
  it('is asked once, however often and for whichever pool, and again after a while', async () => {
    const { validate, judge, clock } = setting();
    await Promise.all([validate(workload()), validate(workload()), validate(workload())]);
    expect(judge.asked).toHaveLength(1);
    await clock.advance(29_999);
    await validate(workload());
    expect(judge.asked).toHaveLength(1);
    await clock.advance(1);
    await validate(workload());
    expect(judge.asked).toHaveLength(2);
  });

  it('that was not answered for good is asked again', async () => {
    const { validate, judge } = setting();
    judge.answer = () => refusal(403, 'Forbidden', 'exceeded quota');
    await validate(workload());
    judge.answer = undefined;
    expect(await validate(workload())).toEqual({ allowed: true, warnings: [] });
    expect(judge.asked).toHaveLength(2);
  });
});

describe('a change', () => {
  const deployments = [child('north', 2), child('south', 3)];

  it.each<readonly [string, Stored<PoolWorkload>]>([
    ['of metadata', { ...workload(), metadata: { ...workload().metadata, annotations: { a: 'b' } } }],
    ['of replicas', workload({}, 'deploymentTemplate', { replicas: 5 })],
    ['of the history', workload({ revisionHistoryLimit: 3 })],
    [
      'of an object that is going',
      { ...changed, metadata: { ...changed.metadata, deletionTimestamp: 'now' } },
    ],
  ])('%s is judged by nobody', async (_, object) => {
    const { validate, judge } = setting({ pools: three, deployments });
    judge.answer = () => noImage;
    const { allowed, warnings = [] } = await validate(object, workload());
    expect([allowed, warnings, judge.asked]).toEqual([true, [], []]);
  });

  it('of the template is tried as a new child and as a change of one that is there, and warns of what it restarts', async () => {
    const { validate, judge } = setting({ pools: three, deployments });
    expect(await validate(changed, workload())).toEqual({
      allowed: true,
      warnings: ['this change of the template replaces every pod: 5 pods in 2 pools, all pools at once'],
    });
    expect(judge.asked.map(({ verb }) => verb).sort()).toEqual(['apply', 'create']);
    expect(judge.asked.find(({ verb }) => verb === 'apply')?.name).toBe('web-north');
  });

  it('that only an existing child refuses is refused', async () => {
    const { validate, judge } = setting({ pools: three, deployments });
    judge.answer = (verb) =>
      verb === 'apply' ? refusal(422, 'Invalid', 'field is immutable', 'spec.ordinals') : undefined;
    const answer = await validate(changed, workload());
    expect(answer.allowed ? [] : answer.status.details?.causes).toMatchObject([
      { field: 'spec.workloadTemplate.deploymentTemplate.spec.ordinals' },
    ]);
  });

  it('that takes two writes of a child is tried as a new child only', async () => {
    const north = child('north');
    const fieldsV1 = { 'f:spec': { 'f:selector': {} } };
    const managedFields = [{ manager: fieldManagers.atoll, operation: 'Apply', fieldsV1 }] as const;
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } } as const;
    const rolls = {
      ...north,
      metadata: { ...north.metadata, managedFields },
      spec: { ...north.spec, strategy },
    } as typeof north;
    const { validate, judge } = setting({ pools: three, deployments: [rolls] });
    const recreate = workload({}, 'deploymentTemplate', { strategy: { type: 'Recreate' } });
    expect(await validate(recreate, workload())).toMatchObject({ allowed: true });
    expect(judge.asked.map(({ verb }) => verb)).toEqual(['create']);
  });

  it('is not warned of a quota that only a new child would meet', async () => {
    const { validate, judge } = setting({ pools: [pool('north')], deployments });
    judge.answer = (verb) => (verb === 'create' ? refusal(403, 'Forbidden', 'exceeded quota') : undefined);
    const { warnings = [] } = await validate(changed, workload());
    expect(warnings.filter((text) => text.includes('quota'))).toEqual([]);
  });

  it.each<readonly [string, Stored<PoolWorkload>, Stored<PoolWorkload>, readonly string[]]>([
    [
      'to the other kind replaces everything',
      workload({}, 'statefulSetTemplate'),
      workload(),
      ['the change from Deployment to StatefulSet replaces every pod: 5 pods in 2 pools, all pools at once'],
    ],
    [
      'that says the same in other words replaces nothing',
      workload({}, 'deploymentTemplate', {
        template: {
          metadata: { labels: { app: 'web' }, annotations: {} },
          spec: { containers: [{ name: 'web', image: 'nginx:1.27', imagePullPolicy: 'IfNotPresent' }] },
        },
      }),
      workload(),
      [],
    ],
    [
      'of a paused Deployment replaces nothing yet',
      workload({}, 'deploymentTemplate', { ...withImage('nginx:1.28'), paused: true }),
      workload(),
      [],
    ],
    [
      'of the pool selector warns of what is left',
      workload({ nodepoolSelector: { matchLabels: { other: 'yes' } } }),
      workload(),
      [
        'spec.nodepoolSelector matches no NodePool: nothing runs until a pool carries these labels',
        'what runs in 2 pools is deleted, because they are not selected: north, south',
      ],
    ],
    [
      "of the template's own selector is not looked at",
      workload({}, 'deploymentTemplate', { selector: { matchLabels: { other: 'x' } } }),
      workload(),
      [
        'spec.workloadTemplate.deploymentTemplate.spec.selector is ignored: children are selected by spec.selector',
      ],
    ],
  ])('%s', async (_, object, old, warnings) => {
    const { validate } = setting({ pools: three, deployments });
    expect(await validate(object, old)).toEqual({ allowed: true, warnings });
  });

  it('is warned of pools whose name is no label value', async () => {
    const { validate } = setting({ pools: [pool('x'.repeat(70))] });
    const { warnings = [] } = await validate(workload());
    expect(warnings[0]).toBe(
      `NodePool ${'x'.repeat(70)} gets nothing: its name is used as a label value and must be no more than 63 bytes`,
    );
  });

  it('counts children of its own only', async () => {
    const others = [child('north', 2, 'uid-other')];
    const { validate } = setting({ pools: three, deployments: others });
    expect(await validate(changed, workload())).toEqual({ allowed: true, warnings: [] });
  });
});
