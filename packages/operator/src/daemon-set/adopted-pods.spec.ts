import { daemonSetUpdate } from '@atoll/api';
import type { Pod, Stored } from '@atoll/kube';
import { expect, it } from 'vitest';
import { agent, node, now, podOn, recorded, snapshotOf, upgraded } from './daemon-set.fixture.ts';
import { decide } from './decide.ts';

const { annotations, podLabels } = daemonSetUpdate;
const nodes = ['a', 'b', 'c'].map((name) => node(name));

/** A pod that was adopted, and to which a person gave the label as `PodNotSeen` advises. */
function labelled(name: string): Stored<Pod> {
  const { metadata, ...pod } = podOn(name);
  return { ...pod, metadata: { ...metadata, labels: { [podLabels.templateGeneration]: '0' } } };
}

function decided(pods: readonly Stored<Pod>[], strategy: string) {
  const object = recorded(agent({ [annotations.updateStrategy]: strategy }));
  const { upgrade, holds } = decide(snapshotOf({ object, nodes, pods }), now);
  return {
    deleted: upgrade?.outdated.map(({ target }) => target.id),
    offered: upgrade?.offered.map(({ spec }) => spec?.nodeName),
    holds: holds.map(({ reason }) => reason),
  };
}

const current = ['a', 'b'].map((name) => podOn(name, upgraded));
const old = ['a', 'b'].map((name) => podOn(name));

it('an adopted pod that is not seen has its place in the budget, so that no other pod ends beside it', () => {
  expect(decided(old, 'AdvancedRollingUpdate')).toMatchObject({
    deleted: [],
    holds: ['MaxUnavailableReached', 'WaitingForReady'],
  });
});

it('an adopted pod with the label pod-template-generation=0 is upgraded as the others', () => {
  expect(decided([...current, labelled('c')], 'AdvancedRollingUpdate').deleted).toEqual(['c']);
  expect(decided([...current, labelled('c')], 'OTA').offered).toContain('c');
});
