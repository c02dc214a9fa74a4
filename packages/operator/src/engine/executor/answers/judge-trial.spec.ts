import { ApiError, deployments, pods, type KubeObject, type Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { isBlockedByFailure } from '../depends-on.ts';
import type { Step, StepResult } from '../../step.ts';
import { judge } from './judge.ts';
import { requestFor } from '../requests/request.ts';

const pod = { metadata: { namespace: 'edge', name: 'agent-a' } };
const step = {
  do: 'try',
  resource: pods,
  object: pod,
  trial: 'agent',
  why: { word: 'PodTried', message: '' },
} as const satisfies Step;

function refused(code: number, reason: string, message: string): ApiError {
  return new ApiError({ fate: 'refused', code, reason, attempted: 'create pods', message });
}

function resultOf(error: ApiError): StepResult {
  const verdict = judge(step, { ok: false, error });
  if (!('result' in verdict)) throw new Error('nothing is there to be read back');
  expect(verdict.updates).toEqual([]);
  return verdict.result;
}

describe('a trial', () => {
  it('is a dry run, and nothing of its answer goes into the caches', () => {
    expect(requestFor(step)).toEqual({ verb: 'create', resource: pods, object: pod, dryRun: true });
    const object = { ...pod, metadata: { ...pod.metadata, uid: 'never' } } as Stored<typeof pod>;
    expect(judge(step, { ok: true, object })).toEqual({ result: { step, did: 'done' }, updates: [] });
  });

  it.each([
    [
      'the name is that of the pod which is to be replaced',
      409,
      'AlreadyExists',
      'pods "agent-a" already exists',
    ],
    [
      'a quota is used up, by the pod too which is to be replaced',
      403,
      'Forbidden',
      'pods "agent-a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3',
    ],
    [
      'a webhook with side effects is not asked',
      400,
      'BadRequest',
      'admission webhook "old.example.com" does not support dry run',
    ],
  ])('is good where %s', (_, code, reason, message) => {
    expect(resultOf(refused(code, reason, message)).did).toBe('done');
  });

  it.each([
    ['PodSecurity', 403, 'Forbidden', 'violates PodSecurity "restricted:latest": host namespaces'],
    ['a LimitRange', 403, 'Forbidden', 'maximum cpu usage per Container is 1, but limit is 2'],
    ['a quota that wants limits', 403, 'Forbidden', 'failed quota: small: must specify limits.cpu'],
    ['the kind itself', 422, 'Invalid', 'spec.containers[0].image: Required value'],
  ])('fails where %s refuses, with its words', (_, code, reason, message) => {
    expect(resultOf(refused(code, reason, message))).toMatchObject({
      did: 'failed',
      error: {
        code,
        message: `create pods: the API server would refuse a new Pod, so the old one stays: ${message}`,
      },
    });
  });

  it('that was not answered is asked again, and never read back', () => {
    const error = new ApiError({
      fate: 'in-doubt',
      code: 0,
      reason: 'Timeout',
      attempted: 'x',
      message: 'late',
    });
    expect(resultOf(error)).toEqual({ step, did: 'failed', error });
  });
});

describe('a trial of a change, to 4 replicas', () => {
  const web = { metadata: { namespace: 'ns', name: 'web' } };
  const change = {
    ...step,
    resource: deployments,
    object: { ...web, spec: { replicas: 4 } },
    uid: 'uid-web',
  } as Step;

  function resultOfReplicas(tried: Step, replicas: number | undefined): StepResult {
    const object = { ...web, spec: { replicas } } as unknown as Stored<KubeObject>;
    const verdict = judge(tried as typeof step, { ok: true, object });
    if (!('result' in verdict)) throw new Error('nothing is there to be read back');
    return verdict.result;
  }

  it('fails where a webhook would leave fewer, and holds back what depends on it', () => {
    const result = resultOfReplicas(change, 2);
    expect(result).toMatchObject({
      did: 'failed',
      error: {
        fate: 'refused',
        problem:
          'the change of Deployment web to 4 replicas would leave it with 2, so no other one shrinks or is deleted for it. ' +
          'A mutating webhook lowers the number: correct the webhook, or ask for fewer replicas',
      },
    });
    expect(isBlockedByFailure({ dependsOn: ['uid-web'] } as unknown as Step, [result])).toBe(true);
  });

  it.each([
    ['as many', change, 4],
    ['more', change, 5],
    ['an unknown number', change, undefined],
    ['fewer of an object that is to be made', { ...change, uid: undefined } as unknown as Step, 2],
  ])('is good where there would be %s', (_, tried, replicas) => {
    expect(resultOfReplicas(tried, replicas).did).toBe('done');
  });
});

describe('what depends on a trial', () => {
  const deletion = { dependsOn: ['agent-a'] } as unknown as Step;

  it.each<[string, StepResult, boolean]>([
    ['goes on where it was good', { step, did: 'done' }, false],
    [
      'waits where it was refused for good',
      { step, did: 'failed', error: refused(403, 'Forbidden', 'no') },
      true,
    ],
    [
      'waits where it was refused a moment ago',
      { step, did: 'failed', error: refused(403, 'Forbidden', 'no'), heldBack: true },
      true,
    ],
    ['waits where it was not sent', { step, did: 'skipped', because: 'not-leader' }, true],
  ])('%s', (_, result, waits) => {
    expect(isBlockedByFailure(deletion, [result])).toBe(waits);
  });

  it('of several goes on where one was good, whatever else it depends on', () => {
    const other = { ...step, object: { metadata: { namespace: 'edge', name: 'agent-b' } } };
    const both = { dependsOn: ['agent-a', 'agent-b', 'uid-1'] } as unknown as Step;
    const no = refused(403, 'Forbidden', 'no');
    const bad: StepResult = { step: other, did: 'failed', error: no };
    expect(isBlockedByFailure(both, [{ step, did: 'done' }, bad])).toBe(false);
    expect(isBlockedByFailure(both, [{ step, did: 'failed', error: no }, bad])).toBe(true);
    const written = { do: 'patch', uid: 'uid-1' } as unknown as Step;
    const dropped: StepResult = { step: written, did: 'skipped', because: 'plan-outdated' };
    expect(isBlockedByFailure(both, [{ step, did: 'done' }, bad, dropped])).toBe(true);
  });
});

describe('what depends on deletions that were refused before', () => {
  const dependent = { dependsOn: ['uid-1', 'uid-2'] } as unknown as Step;
  const deleted = (uid: string): Step => {
    return {
      do: 'delete',
      resource: pods,
      key: { name: uid },
      uid,
      propagation: 'Background',
      why: step.why,
      isRetry: true,
    };
  };
  const no: StepResult = { step: deleted('uid-1'), did: 'failed', error: refused(403, 'Forbidden', 'no') };
  const unsent: StepResult = { step: deleted('uid-2'), did: 'skipped', because: 'earlier-stage-failed' };

  it('waits where all are refused again or not sent, and goes on where one is done', () => {
    expect(isBlockedByFailure(dependent, [no, unsent])).toBe(true);
    expect(isBlockedByFailure(dependent, [no, { step: deleted('uid-2'), did: 'done' }])).toBe(false);
    expect(isBlockedByFailure(dependent, [{ step: deleted('uid-1'), did: 'done' }, unsent])).toBe(false);
  });
});

describe('the creation of an object in the place of one that has its name', () => {
  const key = { namespace: 'edge', name: 'agent-a' };
  const gone = { do: 'delete', resource: pods, key, uid: 'uid-1', propagation: 'Background' } as const;
  const deletion: Step = { ...gone, why: step.why };
  const creation = (name: string): Step => ({
    do: 'create',
    resource: pods,
    object: { metadata: { namespace: 'edge', name } },
    managed: 'once',
    dependsOn: ['uid-1'],
    why: step.why,
  });
  const no: StepResult = { step: deletion, did: 'failed', error: refused(403, 'Forbidden', 'no') };

  it('waits where that may not be deleted, and not where it has another name', () => {
    expect(isBlockedByFailure(creation('agent-a'), [no])).toBe(true);
    expect(isBlockedByFailure(creation('agent-b'), [no])).toBe(false);
    expect(isBlockedByFailure(creation('agent-a'), [{ step: deletion, did: 'done' }])).toBe(false);
  });
});

describe('a trial of a change', () => {
  const change = { ...step, uid: 'uid-1' } as const satisfies Step;
  const shrink = {
    do: 'patch',
    resource: pods,
    key: { namespace: 'edge', name: 'agent-b' },
    uid: 'uid-2',
    resourceVersion: '2',
    patch: { type: 'merge', body: {} },
    dependsOn: ['uid-1', 'uid-3'],
    why: step.why,
  } as const satisfies Step;

  it('is a dry run that changes no other object', () => {
    const metadata = { ...pod.metadata, uid: 'uid-1' };
    expect(requestFor(change)).toEqual({ verb: 'apply', resource: pods, object: { metadata }, dryRun: true });
  });

  it('holds back what waits for it, also where another one is found good', () => {
    const error = refused(403, 'Forbidden', 'denied');
    const verdict = judge(change, { ok: false, error });
    if (!('result' in verdict)) throw new Error('nothing is there to be read back');
    const good: StepResult = { step: { ...change, uid: 'uid-3' }, did: 'done' };
    expect(verdict.result).toMatchObject({ did: 'failed' });
    expect(isBlockedByFailure(shrink, [verdict.result, good])).toBe(true);
    expect(isBlockedByFailure(shrink, [good])).toBe(false);
  });

  it.each([
    [404, 'NotFound'],
    [409, 'Conflict'],
  ])('of an object that is gone shows that the plan is outdated (%s)', (code, reason) => {
    expect(judge(change, { ok: false, error: refused(code, reason, 'no') })).toMatchObject({
      result: { did: 'skipped', because: 'plan-outdated' },
      readBack: true,
    });
  });
});
