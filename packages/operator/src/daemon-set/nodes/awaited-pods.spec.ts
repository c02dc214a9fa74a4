import { describe, expect, it } from 'vitest';
import type { Finding } from '../../causes/finding.ts';
import { describeHold } from '../../engine/problems/describe-hold.ts';
import { agent, latest, node, now, podOn, upgraded } from '../daemon-set.fixture.ts';
import { awaitedPods } from './awaited-pods.ts';
import { nodeTargets } from './node-targets.ts';

const starting = podOn('b', { ...upgraded, ready: false });
const targets = nodeTargets(
  agent(),
  [podOn('a', upgraded), starting],
  ['c', 'b', 'a'].map((name) => node(name)),
  latest,
  now,
);

function said(finding: Finding | undefined): readonly string[] {
  return awaitedPods(targets, finding).map((each) => `${each.reason}: ${describeHold(each)}`);
}

describe('pods that are waited for', () => {
  const found = (pods: readonly string[]): Finding => ({
    word: 'ImagePullBackOff',
    message: 'agent:2: not found',
    pods,
    nodes: ['b'],
  });

  it('are named by their nodes, in the order of names', () => {
    expect(said(undefined)).toEqual(['WaitingForReady: b, c: waiting until the pods are available']);
  });

  it('have the cause that was found in one of them, or that none can be made', () => {
    const reason = (pods: readonly string[]) => said(found(pods))[0]?.split(':')[0];
    expect(reason(['another', starting.metadata.name])).toBe('ImagePullBackOff');
    expect(reason([])).toBe('ImagePullBackOff');
    expect(reason(['another'])).toBe('WaitingForReady');
  });
});
