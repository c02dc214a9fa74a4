import { expect, it } from 'vitest';
import { ago, node, nodesNamed, podOn } from '../../extended-daemon-set.fixture.ts';
import { active, canaryPod, canaryPodWith, nodes, tried, trying } from '../canary.fixture.ts';

it('a percentage is of the nodes, and does not count the one twice that runs the canary', () => {
  const given = { nodes: nodesNamed('a', 'b'), pods: [podOn('a', tried), podOn('b', active)] };
  const { roles } = trying({ canary: { replicas: '50%' }, ...given });
  expect(roles?.canaryToRecord?.nodes).toEqual(['a']);
});

it('a node whose only pod has ended may be one of the canary', () => {
  const pods = [podOn('a', active, { phase: 'Failed', restarts: 1 }), ...canaryPod().slice(1)];
  const { roles } = trying({ canary: { replicas: 3 }, recorded: null, pods });
  expect(roles?.canaryToRecord?.nodes).toEqual(['b', 'c', 'a']);
});

it('a node that is away stays where one container of the canary has started there, and another has not', () => {
  const away = [node('a', { awaySince: ago(120) }), ...nodes.slice(1)];
  const nodesOf = (...statuses: Parameters<typeof canaryPodWith>) =>
    trying({ nodes: away, pods: canaryPodWith(...statuses) }).roles?.canaryToRecord?.nodes;
  const waiting = { ready: false, state: { waiting: { reason: 'ContainerCreating' } } };
  const running = { ready: false, state: { running: {} } };
  expect(nodesOf('containerStatuses', running, waiting)).toEqual(['a']);
  expect(nodesOf('containerStatuses', waiting, waiting)).toEqual(['b']);
});
