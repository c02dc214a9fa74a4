import type { Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { agent, revision } from '../daemon-set/daemon-set.fixture.ts';
import { running, waiting } from '../causes/pods.fixture.ts';
import { decide } from './decide.ts';
import { ago, asking, now, ota, pull, snapshotOf } from './image-pre-pull.fixture.ts';
import type { PrePullSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { pullJobName } from './pull-job.ts';

function stepsOf(change: Partial<PrePullSnapshot> = {}) {
  const snapshot = snapshotOf(change);
  return plan(snapshot, decide(snapshot, now), now).stages.flatMap(({ steps }) => steps);
}

const name = pullJobName(asking(), 'new');

/** Its owner asked for images, and does not decide at present. */
const held = withoutOffer(asking());

function withoutOffer(pod: Stored<Pod>): Stored<Pod> {
  const conditions = pod.status?.conditions?.filter(({ type }) => type !== 'PodNeedUpgrade') ?? [];
  return { ...pod, status: { ...pod.status, conditions } };
}

it('starts a Job for the revision that is asked for', () => {
  expect(stepsOf()).toMatchObject([{ do: 'create', object: { metadata: { name, namespace: 'edge' } } }]);
});

it('pulls the images of that revision, also where the DaemonSet has a newer template whose revision was not read yet', () => {
  const template = { $patch: 'replace', spec: { containers: [{ name: 'agent', image: 'r.io/agent:1' }] } };
  const asked = { ...revision('new', 2), data: { spec: { template } } };
  const [step] = stepsOf({ history: [revision('old', 1), asked] });
  expect(step).toMatchObject({
    do: 'create',
    object: { spec: { template: { spec: { containers: [{ image: 'r.io/agent:1' }] } } } },
  });
});

describe('starts nothing', () => {
  it.each<[string, Partial<PrePullSnapshot>]>([
    ['before everything was read', { certain: false }],
    ['where nobody asked', { pod: asking({ status: 'Unknown' }) }],
    ['where it was answered', { pod: asking({ status: 'True', reason: 'PullImageSuccess' }) }],
    ['where it failed, until somebody asks again', { pod: asking({ reason: 'PullImageFail' }) }],
    ['where the condition is of another controller', { pod: asking({ message: 'not verified' }) }],
    [
      'where the pod is to be upgraded to a revision that is not named',
      { pod: asking({}, { message: 'outdated' }) },
    ],
    ['while the upgrade is not offered, as in a pause', { pod: held }],
    ['where the pod is up to date', { pod: asking({}, { status: 'False' }) }],
    ['for a pod that goes', { pod: asking({}, {}, { ending: true }) }],
    ['for a DaemonSet that is gone', { daemonSet: undefined }],
    [
      'for a DaemonSet that goes',
      { daemonSet: { ...ota, metadata: { ...ota.metadata, deletionTimestamp: ago(1) } } },
    ],
    ['where the owners of nodes do not decide', { daemonSet: agent() }],
    [
      'while the template may be newer than the revision',
      { daemonSet: { ...ota, metadata: { ...ota.metadata, generation: 3 } } },
    ],
    ['for a revision that is not the newest', { history: [revision('new', 2), revision('newer', 3)] }],
    ['a second time', { pulls: [pull({})] }],
    [
      'before the Job of an earlier request is gone',
      { pulls: [pull({ ending: true, containers: [running(1)] })] },
    ],
  ])('%s', (_, change) => {
    expect(stepsOf(change)).toEqual([]);
  });
});

it.each<[string, Partial<PrePullSnapshot>]>([
  [
    'the DaemonSet controller has not seen the last change of the spec',
    { daemonSet: { ...ota, metadata: { ...ota.metadata, generation: 3 } } },
  ],
  ['no revision is recorded', { history: [] }],
])('keeps the Job that is asked for while %s', (_, change) => {
  expect(stepsOf({ pulls: [pull({})], ...change })).toEqual([]);
});

it('keeps the Job while the upgrade is not offered, as in a pause', () => {
  expect(stepsOf({ pod: held, pulls: [pull({})] })).toEqual([]);
});

describe('answers a request for another revision than the one that the pod is to be upgraded to', () => {
  const outdated = asking({ message: 'controllerrevision: other' });

  it('at once: nothing would pull those images', () => {
    const [step, ...more] = stepsOf({
      pod: outdated,
      pulls: [pull({ hash: 'other', containers: [running(1)] })],
    });
    expect(step).toMatchObject({
      do: 'patch',
      patch: {
        body: {
          status: {
            conditions: [
              {
                status: 'False',
                reason: 'PullImageFail',
                message:
                  'the template changed: the images of revision other were asked for, and the pod is to be upgraded to revision new. Ask the agent of the node again (imagepull)',
              },
            ],
          },
        },
      },
    });
    expect(more).toMatchObject([{ do: 'delete', key: { name: pullJobName(asking(), 'other') } }]);
  });

  it.each<[string, Partial<PrePullSnapshot>]>([
    ['where the owners of nodes do not decide', { daemonSet: agent() }],
    ['for a pod that goes', { pod: asking({ message: 'controllerrevision: other' }, {}, { ending: true }) }],
    ['before everything was read', { certain: false }],
  ])('not %s', (_, change) => {
    expect(stepsOf({ pod: outdated, ...change })).toEqual([]);
  });
});

it('waits for the pull, and is requeued when its time is over', () => {
  const snapshot = snapshotOf({ pulls: [pull({ containers: [waiting('ContainerCreating')] })] });
  expect(decide(snapshot, now)).toMatchObject({ answer: undefined, requeueAt: now + 560_000 });
});

it('writes that the images are there, in the one condition that names the revision', () => {
  const [step, ...more] = stepsOf({ pulls: [pull({ containers: [running(1)] })] });
  expect(more).toEqual([]);
  expect(step).toMatchObject({
    do: 'patch',
    subresource: 'status',
    uid: 'uid-agent-n1-old',
    patch: {
      type: 'strategic',
      body: {
        status: {
          conditions: [
            {
              type: 'PodImageReady',
              status: 'True',
              reason: 'PullImageSuccess',
              message: 'controllerrevision: new',
              lastTransitionTime: ago(0),
            },
          ],
        },
      },
    },
  });
});

it('writes why they are not', () => {
  const containers = [waiting('ErrImagePull', 'unauthorized')];
  expect(stepsOf({ pulls: [pull({ age: 600, containers })] })).toMatchObject([
    {
      patch: {
        body: {
          status: {
            conditions: [
              {
                status: 'False',
                reason: 'PullImageFail',
                message: `Job edge/${name} could not pull the images: container app cannot pull its image r.io/app:v2: unauthorized. Ask the agent of the node again (imagepull)`,
                lastTransitionTime: ago(30),
              },
            ],
          },
        },
      },
    },
  ]);
});

describe('deletes its Job', () => {
  it.each<[string, Partial<PrePullSnapshot>]>([
    [
      'when the answer was seen',
      { pod: asking({ status: 'True', reason: 'PullImageSuccess' }), pulls: [pull({})] },
    ],
    ['when the failure was seen', { pod: asking({ reason: 'PullImageFail' }), pulls: [pull({})] }],
    ['when the pod needs no upgrade any more', { pod: asking({}, { status: 'False' }), pulls: [pull({})] }],
  ])('%s', (_, change) => {
    expect(stepsOf(change)).toMatchObject([{ do: 'delete', uid: `uid-${name}` }]);
  });

  it('of an older revision, and starts the one that is asked for', () => {
    expect(stepsOf({ pulls: [pull({ hash: 'old' })] })).toMatchObject([
      { do: 'delete', key: { name: pullJobName(asking(), 'old') } },
      { do: 'create', object: { metadata: { name } } },
    ]);
  });
});
