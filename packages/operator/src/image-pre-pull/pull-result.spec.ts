import { describe, expect, it } from 'vitest';
import { ended, running, waiting } from '../causes/pods.fixture.ts';
import type { FoundContainer } from '../causes/found-pod.ts';
import { now, pull } from './image-pre-pull.fixture.ts';
import { resultOf } from './pull-result.ts';

const unfinished: FoundContainer = waiting('ContainerCreating');
const failing = waiting('ImagePullBackOff', 'Back-off pulling image "r.io/agent:2": ErrImagePull: not found');

describe('the images are on the node', () => {
  it.each<[string, readonly FoundContainer[]]>([
    ['when the containers run', [running(1), running(1)]],
    ['when they ended well', [{ ...unfinished, state: ended(0, 'Completed') }]],
    ['when an image has no program to run', [{ ...unfinished, state: ended(128, 'StartError') }]],
    ['when a runtime does not even make such a container', [waiting('CreateContainerError', 'no such file')]],
    ['when the containers cannot be configured', [waiting('CreateContainerConfigError')]],
  ])('%s', (_, containers) => {
    expect(resultOf(pull({ containers }), now)).toEqual({ is: 'pulled' });
  });

  it('when the Job is complete', () => {
    expect(resultOf(pull({ conditions: [{ type: 'Complete' }] }), now)).toEqual({ is: 'pulled' });
  });

  it('also when the Job failed because they do nothing', () => {
    const containers = [{ ...unfinished, state: ended(128, 'StartError') }];
    expect(resultOf(pull({ conditions: [{ type: 'Failed' }], containers }), now)).toEqual({ is: 'pulled' });
  });
});

describe('the images are not yet on the node', () => {
  it.each<[string, readonly FoundContainer[] | undefined]>([
    ['while the Job has no pod', undefined],
    ['while a container is being created', [unfinished]],
    ['while one of them is', [running(1), unfinished]],
    ['while the kubelet tries again', [failing]],
    [
      'where the state of a container was lost',
      [{ ...unfinished, state: ended(137, 'ContainerStatusUnknown') }],
    ],
  ])('%s', (_, containers) => {
    const found = pull(containers === undefined ? {} : { containers });
    expect(resultOf(found, now)).toEqual({ is: 'pulling', until: now + 560_000 });
  });
});

describe('a Job that failed, while its pod is shown as unfinished: the cache of pods is behind', () => {
  const message = 'Job has reached the specified backoff limit';
  const lastTransitionTime = new Date(now - 4_000).toISOString();
  const failed = { type: 'Failed', message, lastTransitionTime };
  const seen = pull({ conditions: [failed], containers: [unfinished] });
  const [pod] = seen.pods;
  if (pod === undefined) throw new Error('the fixture has a pod');
  const shown = (change: object) => ({ ...seen, pods: [{ ...pod, ...change }] });

  it('is waited for', () => {
    expect(resultOf(seen, now)).toEqual({ is: 'pulling', until: now + 6_000 });
  });

  it('is not waited for until the Job is deleted, after which it would be made again', () => {
    expect(resultOf(seen, now + 6_000)).toMatchObject({ is: 'failed' });
  });

  it('is pulled when the pod is seen', () => {
    const containerStatuses = [{ ...unfinished, state: ended(128, 'StartError') }];
    const found = shown({ status: { phase: 'Failed', containerStatuses } });
    expect(resultOf(found, now)).toEqual({ is: 'pulled' });
  });

  it.each<[string, object]>([
    ['has failed', { status: { ...pod.status, phase: 'Failed' } }],
    [
      'is being deleted, on a node that may be away',
      { metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:59:59Z' } },
    ],
  ])('is a failure where the pod %s', (_, change) => {
    expect(resultOf(shown(change), now)).toMatchObject({ is: 'failed' });
  });
});

describe('the images could not be pulled', () => {
  const age = 570;

  it('in time: the kubelet names the cause', () => {
    expect(resultOf(pull({ age, containers: [running(1), failing] }), now)).toEqual({
      is: 'failed',
      why: 'container app cannot pull its image r.io/app:v2: not found',
    });
  });

  it.each([
    ['no pod could be made', undefined, 'no pod could be made for it, as its events say'],
    ['the node does not answer', [], 'the kubelet of node n1 has not started it'],
  ])('in time: %s', (_, containers, why) => {
    const found = pull(containers === undefined ? { age } : { age, containers });
    expect(resultOf(found, now)).toEqual({ is: 'failed', why });
  });

  it('as in the Job', () => {
    const message = 'Job was active longer than specified deadline';
    expect(resultOf(pull({ conditions: [{ type: 'Failed', message }] }), now)).toEqual({
      is: 'failed',
      why: message,
    });
  });
});
