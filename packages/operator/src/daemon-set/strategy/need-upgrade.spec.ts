import { daemonSetUpdate } from '@atoll/api';
import type { Pod, Stored } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { agent, node, now, podOn, recorded, snapshotOf } from '../daemon-set.fixture.ts';
import { decide } from '../decide.ts';
import { plan } from '../plan.ts';

const { annotations, nodeLabels, podConditions } = daemonSetUpdate;
const needUpgrade = { type: podConditions.needUpgrade, $patch: 'delete' };
const imageReady = { type: podConditions.imageReady, $patch: 'delete' };

/** What is taken off an outdated pod whose owner was offered its upgrade, and asked for the images. */
function takenOff(asked: Readonly<Record<string, string>>, shape: Parameters<typeof node>[1] = {}) {
  const found = podOn('a');
  const message = 'controllerrevision: new';
  const conditions = [
    ...(found.status?.conditions ?? []),
    { type: podConditions.needUpgrade, status: 'True', message },
    { type: podConditions.imageReady, status: 'False', message },
  ];
  const pod: Stored<Pod> = { ...found, status: { ...found.status, conditions } };
  const object = recorded(agent({ [annotations.updateStrategy]: 'OTA', ...asked }));
  const snapshot = snapshotOf({ object, nodes: [node('a', shape)], pods: [pod] });
  return plan(snapshot, decide(snapshot, now), now).stages.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.do === 'patch' ? [step.patch] : [])),
  );
}

describe('a request for images', () => {
  it.each<[string, Readonly<Record<string, string>>, Parameters<typeof node>[1]]>([
    ['a pause', { [annotations.rolloutPaused]: 'true' }, {}],
    [
      'a taint of its node',
      {},
      { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] },
    ],
    ['the exclusion of its node', {}, { labels: { [nodeLabels.excluded]: 'true' } }],
    ['an annotation with a wrong value', { [annotations.rolloutPaused]: 'yes' }, {}],
  ])('outlives %s, where the upgrade is not offered', (_, asked, shape) => {
    expect(takenOff(asked, shape)).toMatchObject([{ body: { status: { conditions: [needUpgrade] } } }]);
  });

  it('goes where the owners of nodes do not decide any more', () => {
    expect(takenOff({ [annotations.updateStrategy]: 'AdvancedRollingUpdate' })).toMatchObject([
      { body: { status: { conditions: [needUpgrade, imageReady] } } },
    ]);
  });
});
