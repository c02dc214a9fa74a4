import { expect, it } from 'vitest';
import { podOn, replicaSet } from '../extended-daemon-set.fixture.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { blockedText } from './blocked-text.ts';

const blocked = { container: 'agent', reason: 'ErrImagePull', since: 0 };

function textOf(change: Partial<NodeTarget>): string | undefined {
  const pods = { kept: podOn('a', replicaSet(2)), ended: [], ending: [] };
  const target = { id: 'a' };
  return blockedText({ pods, target, matches: true, blocked, ...change } as unknown as NodeTarget);
}

it('names pod, node, container and reason of a pod that does not start, with the message of its kubelet', () => {
  expect(textOf({})).toBe('pod agent-2-a of node a, container agent, ErrImagePull');
  expect(textOf({ blocked: { ...blocked, message: 'agent:2: not found' } })).toBe(
    'pod agent-2-a of node a, container agent, ErrImagePull: agent:2: not found',
  );
});

it('is silent about a pod that starts, about one of another template, and where there is none', () => {
  expect(textOf({ blocked: undefined })).toBeUndefined();
  expect(textOf({ matches: false })).toBeUndefined();
  expect(
    textOf({ pods: { kept: undefined, ended: [], ending: [] } as unknown as NodeTarget['pods'] }),
  ).toBeUndefined();
});
