import { ApiError, conditionOf, jobs, keyOf, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { askingPod } from '../../simulation/examples/asking-pod.ts';
import { createImagePrePullController } from './controller.ts';

const requested = { type: 'PodImageReady', status: 'False', message: 'controllerrevision: new' } as const;
const policy = 'admission webhook "validate.kyverno.svc-fail" denied the request: requests are required';

/** A pod that asks for images, in a cluster that refuses Jobs until that is changed. */
function refusing(code = 403) {
  const { world, pod } = askingPod();
  const controller = createImagePrePullController(world.readers);
  const key = keyOf(pod);
  let sent = 0;
  let message = policy;
  let isRefused = true;
  world.refuse = ({ verb, resource }) => {
    if (verb !== 'create' || resource.plural !== jobs.plural) return undefined;
    sent += 1;
    const reason = code < 500 ? 'Forbidden' : 'InternalError';
    const attempted = `create jobs edge/${key.name}`;
    return isRefused ? new ApiError({ fate: 'refused', code, reason, attempted, message }) : undefined;
  };
  return {
    /** Some seconds later. */
    later: (seconds: number) => {
      world.now += 1_000 * seconds;
      return world.reconcile(controller, `edge/${key.name}`).plan;
    },
    reconcile: (times: number) => {
      for (let each = 0; each < times; each += 1) world.reconcile(controller, `edge/${key.name}`);
    },
    shown: () => conditionOf(world.get(pods, key), 'PodImageReady'),
    sent: () => sent,
    jobs: () => world.list(jobs).length,
    ask: () =>
      world.edit(pods, key, (found) => ({
        ...found,
        status: {
          ...found.status,
          conditions: found.status?.conditions?.map((each) =>
            each.type === requested.type ? requested : each,
          ),
        },
      })),
    change: (next: { readonly message?: string; readonly isRefused?: boolean }) => {
      message = next.message ?? message;
      isRefused = next.isRefused ?? isRefused;
    },
  };
}

describe('a Job that the API server refuses', () => {
  it('is the answer to the request, and is not sent again', () => {
    const { reconcile, shown, sent, jobs: made } = refusing();
    reconcile(1);
    expect(shown()).not.toHaveProperty('reason');
    reconcile(10);
    expect(shown()).toMatchObject({ status: 'False', reason: 'PullImageFail' });
    expect(shown()?.message).toMatch(
      /^Job edge\/image-pre-pull-agent-n1-old-\w+ was refused: admission webhook "validate.kyverno.svc-fail" denied the request: requests are required. Ask the agent/,
    );
    expect([sent(), made()]).toEqual([1, 0]);
  });

  it('is sent again with the next request, and refused in the words of then', () => {
    const { reconcile, shown, ask, change } = refusing();
    reconcile(3);
    change({ message: 'admission webhook "other" denied the request' });
    ask();
    reconcile(3);
    expect(shown()?.message).toContain('admission webhook "other" denied the request');
  });

  it('is made with the next request where the refusal is over', () => {
    const { reconcile, shown, ask, change, jobs: made } = refusing();
    reconcile(3);
    change({ isRefused: false });
    ask();
    reconcile(3);
    expect(made()).toBe(1);
    expect(shown()).not.toHaveProperty('reason');
  });

  it('is tried again, and answers nothing, where a webhook could not be called', () => {
    const { reconcile, shown, sent, change, jobs: made } = refusing(500);
    reconcile(5);
    expect([sent(), made()]).toEqual([5, 0]);
    expect(shown()).not.toHaveProperty('reason');
    change({ isRefused: false });
    reconcile(1);
    expect(made()).toBe(1);
  });
});

describe.each([
  'jobs.batch "image-pre-pull-agent" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1, used: count/jobs.batch=5, limited: count/jobs.batch=5',
  'jobs.batch "image-pre-pull-agent" is forbidden: status unknown for quota: jobs, resources: count/jobs.batch',
])('a Job that a quota refuses: %s', (message) => {
  it('is asked for again for half a minute before that is the answer', () => {
    const { later, shown, change, jobs: made } = refusing();
    change({ message });
    expect(later(0).requeueAt).toBeUndefined();
    const { requeueAt = 0 } = later(1);
    expect(requeueAt).toBe(Date.parse('2026-11-01T10:01:00Z'));
    later(10);
    expect(shown()).not.toHaveProperty('reason');
    change({ isRefused: false });
    later(30);
    expect(made()).toBe(1);
    expect(shown()).not.toHaveProperty('reason');
  });

  it('is answered after that, and asked for as long with the next request', () => {
    const { later, shown, ask, sent, change } = refusing();
    change({ message });
    for (const seconds of [0, 1, 10, 30]) later(seconds);
    expect([sent(), shown()?.reason]).toEqual([4, undefined]);
    later(19);
    expect([sent(), shown()?.reason]).toEqual([4, 'PullImageFail']);
    expect(shown()?.message).toContain('quota: jobs');
    ask();
    later(0);
    later(1);
    expect([sent(), shown()?.reason]).toEqual([6, undefined]);
  });
});
