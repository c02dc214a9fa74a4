import { silentLogger, type Pod, type PodCondition, type Stored } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { needs, upgradablePod } from '../pods/pod.fixture.ts';
import type { OtaContext } from './ota-context.ts';
import { takeBackPull } from './take-back-pull.ts';
import { refuseUpgrade } from './upgrade-pod.ts';

const name = { namespace: 'edge', name: 'agent-x1' };

function image(status: string, message = 'controllerrevision: new', reason?: string): PodCondition {
  return { type: 'PodImageReady', status, message, ...(reason === undefined ? {} : { reason }) };
}

async function takenBack(pod: Stored<Pod>, refuses = false) {
  const patches: unknown[] = [];
  const client = {
    get: async () => pod,
    patch: async (...args: readonly unknown[]) => {
      patches.push(args[2]);
      return refuses ? Promise.reject(refusalOf(403, 'patch pods', 'locked')) : pod;
    },
  };
  const context = { nodeName: 'node-1', client, logger: silentLogger, reached: () => undefined };
  return { answer: await takeBackPull(context as unknown as OtaContext, name), patches };
}

describe('images that were asked for are taken back', () => {
  it.each([
    ['while they are pulled', image('False')],
    ['where they could not be pulled', image('False', 'not found', 'PullImageFail')],
    ['where they are there', image('True', 'controllerrevision: new', 'PullImageSuccess')],
  ])('%s: the condition goes, and no other one', async (_, condition) => {
    const pod = upgradablePod({ conditions: [needs('True'), condition] });
    const { answer, patches } = await takenBack(pod);
    expect(answer).toMatchObject({ code: 200, body: 'Image pre-pull taken back for pod edge/agent-x1' });
    expect(patches).toEqual([
      {
        type: 'strategic',
        body: {
          metadata: { uid: 'uid-1', resourceVersion: '5' },
          status: { conditions: [{ $patch: 'delete', type: 'PodImageReady' }] },
        },
      },
    ]);
  });

  it('so that the pod is upgraded without them, as the refusal of the upgrade says', () => {
    const pod = upgradablePod({ conditions: [needs('True'), image('False')] });
    expect(refuseUpgrade(pod, 'node-1')?.body).toMatch(/take the request back \(DELETE imagepull\)$/);
    expect(refuseUpgrade(upgradablePod(), 'node-1')).toBeUndefined();
  });

  it.each([
    ['nothing was asked for', upgradablePod()],
    [
      'the condition is that of another controller',
      upgradablePod({ conditions: [needs('True'), image('False', 'image signatures are not verified')] }),
    ],
  ])('and nothing is written where %s', async (_, pod) => {
    const { answer, patches } = await takenBack(pod);
    expect(answer).toMatchObject({ code: 200, body: 'No image pre-pull is requested for pod edge/agent-x1' });
    expect(patches).toEqual([]);
  });

  it.each([
    ['on another node', upgradablePod({ nodeName: 'node-2', conditions: [needs('True'), image('False')] })],
    ['that is current', upgradablePod({ conditions: [needs('False'), image('False')] })],
  ])('not from a pod %s', async (_, pod) => {
    const { answer, patches } = await takenBack(pod);
    expect([answer.code, patches]).toEqual([403, []]);
  });

  it('and the answer has the cause where the API server refuses that', async () => {
    const { answer } = await takenBack(upgradablePod({ conditions: [needs('True'), image('False')] }), true);
    expect(answer).toMatchObject({
      code: 500,
      body: 'Patch pod status for imagepull failed, patch pods: locked',
    });
  });
});
