import { nodeResourcesAnnotation } from '@atoll/api';
import { expect, it } from 'vitest';
import { decide } from '../decide.ts';
import { agent, node, now, replicaSet, snapshotOf } from '../extended-daemon-set.fixture.ts';

const key = nodeResourcesAnnotation('edge', 'agent', 'agent');

it('overrides of nodes that cannot be used are one hold, which names all of them and the first problem', () => {
  const nodes = ['b', 'a', 'c'].map((name) =>
    node(name, { annotations: name === 'c' ? {} : { [key]: '{' } }),
  );
  const { holds } = decide(snapshotOf({ replicaSets: [replicaSet(1)], nodes }), now);
  const found = holds.filter(({ reason }) => reason === 'InvalidOverride');
  expect(found).toMatchObject([{ targets: ['a', 'b'], waitsFor: 'person', bad: false }]);
  expect(found[0]?.problem).toContain(`the annotation ${key} is no JSON`);
});

it('a selector that selects all nodes is not meant for pods where there is no node', () => {
  const selector = {};
  const object = agent('agent:1', { selector });
  expect(decide(snapshotOf({ object, replicaSets: [replicaSet(1, { selector })] }), now).holds).toEqual([]);
});
