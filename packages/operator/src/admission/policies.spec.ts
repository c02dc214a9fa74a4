import { describe, expect, it } from 'vitest';
import { yurtAppDaemons, type ExtendedDaemonSet, type PoolWorkload } from '@atoll/api';
import { ApiError, type KubeObject, type Node, type Reader, type Stored } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import type { AdmissionAnswer } from '@atoll/kube/webhook';
import { child, pool, readers, withImage, workload } from './admission.fixture.ts';
import { agent } from '../extended-daemon-set/extended-daemon-set.fixture.ts';
import { validateExtendedDaemonSet } from './extended-daemon-set/validate-extended-daemon-set.ts';
import { Judge } from './trials/judge.fixture.ts';
import { TryChildren } from './trials/try-children.ts';
import { failureOf } from '../engine/problems/failures.ts';
import {
  childOf,
  setting as settingOfUnited,
  templateOf,
  united,
} from './united-deployment/united-deployment.fixture.ts';
import { validatePoolWorkload } from './pool-workload/validate-pool-workload.ts';

/** As kube-apiserver answers for a ValidatingAdmissionPolicy whose validation names no `reason`: 422 Invalid, one cause without a field. */
function byPolicy(what: string): ApiError {
  const message = `${what} is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: not now`;
  const status = { code: 422, reason: 'Invalid', message, details: { causes: [{ message }] } };
  return new ApiError({
    fate: 'refused',
    code: 422,
    reason: 'Invalid',
    message,
    attempted: 'create',
    status,
  });
}

function setting(content: Parameters<typeof readers>[0]) {
  const [judge, clock] = [new Judge(), new FakeClock()];
  const tries = new TryChildren({ client: judge, clock });
  const seen = readers(content);
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
const pools = [pool('north'), pool('south')];
const deployments = [child('north', 2), child('south', 3)];
const changed = workload({}, 'deploymentTemplate', withImage('nginx:1.28'));

describe('a ValidatingAdmissionPolicy with the default reason', () => {
  it('that refuses new Deployments only does not refuse a change of children that are there', async () => {
    const { validate, judge } = setting({ pools, deployments });
    judge.answer = (verb) => (verb === 'create' ? byPolicy('deployments.apps "web-north"') : undefined);
    expect((await validate(changed, workload())).allowed).toBe(true);
  });

  it('warns, as one with reason Forbidden does', async () => {
    const { validate, judge } = setting({ pools });
    judge.answer = () => byPolicy('deployments.apps "web-north"');
    const answer = await validate(workload());
    expect(answer.allowed).toBe(true);
    expect(answer.warnings?.join()).toContain('denied request');
  });

  it('is asked again as soon as it is lifted', async () => {
    const { validate, judge } = setting({ pools });
    judge.answer = () => byPolicy('deployments.apps "web-north"');
    await validate(workload());
    judge.answer = undefined;
    expect(await validate(workload())).toEqual({ allowed: true, warnings: [] });
  });

  it('that wants an owner of every pod does not refuse an ExtendedDaemonSet, whose pods have one', async () => {
    const judge = new Judge();
    judge.answer = (_, object: KubeObject) =>
      object.metadata.ownerReferences === undefined ? byPolicy('pods "agent-x"') : undefined;
    const kind = { group: 'datadoghq.com', version: 'v1alpha1', kind: 'ExtendedDaemonSet' };
    const answer = await validateExtendedDaemonSet(
      {
        readers: {
          extendedDaemonSets: { get: () => undefined } as unknown as Reader<ExtendedDaemonSet>,
          nodes: { list: () => [] } as unknown as Reader<Node>,
        },
        tries: new TryChildren({ client: judge, clock: new FakeClock() }),
        objectDefaults: { canaryValidationMode: 'auto' },
      },
      {
        uid: 'u',
        kind,
        resource: { ...kind, resource: 'extendeddaemonsets' },
        operation: 'CREATE',
        userInfo: {},
        object: agent('agent:1'),
      },
    );
    expect(answer).toMatchObject({ allowed: true });
  });

  it('that refuses new Deployments only does not refuse a new image of a UnitedDeployment', async () => {
    const { validate, judge } = settingOfUnited({
      children: [childOf('Deployment', 'a'), childOf('Deployment', 'b')],
    });
    judge.answer = (verb) => (verb === 'create' ? byPolicy('deployments.apps "web-a"') : undefined);
    const changed = united({ template: templateOf('Deployment', {}, 'nginx:1.28') });
    expect(await validate(changed, united())).toMatchObject({ allowed: true });
  });

  it('can be lifted, so a child that it refuses is not Stalled at once, as if only the object could help', () => {
    expect(failureOf('a', byPolicy('deployments.apps "web-a"'), 'ChildRefused').stalls).toBe('if-it-lasts');
  });
});

describe('a pool whose name is no label value', () => {
  const long = 'a'.repeat(70);
  const tooLong = (_: unknown, { metadata }: KubeObject): ApiError | undefined => {
    const bad = Object.values(metadata.labels ?? {}).find((value) => value.length > 63);
    if (bad === undefined) return undefined;
    const message = `Deployment.apps "web" is invalid: metadata.labels: Invalid value: "${bad}": must be no more than 63 bytes`;
    const causes = [{ field: 'metadata.labels', message }];
    return new ApiError({
      fate: 'refused',
      code: 422,
      reason: 'Invalid',
      message,
      attempted: 'create',
      status: { code: 422, reason: 'Invalid', message, details: { causes } },
    });
  };
  it('gets a warning, and keeps nobody from creating a workload that runs in the others', async () => {
    const { validate, judge } = setting({ pools: [pool(long), ...pools] });
    judge.answer = tooLong;
    const answer = await validate(workload());
    expect(answer.warnings?.[0]).toContain('gets nothing');
    expect(answer).toMatchObject({ allowed: true });
  });
  it('keeps nobody from changing the template where it alone has its taints', async () => {
    const far = pool(long, { taints: [{ key: 'far', effect: 'NoSchedule' }] });
    const { validate, judge } = setting({ pools: [far, ...pools], deployments });
    judge.answer = tooLong;
    expect(await validate(changed, workload())).toMatchObject({ allowed: true });
  });
});
