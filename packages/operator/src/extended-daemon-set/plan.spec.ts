import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSetReplicaSets,
  extendedDaemonSets,
  replicaSetConditions,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { controllerOf, nodes, pods, type Stored } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import { FreshWorld, type Reconciled } from '../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../simulation/messages/without-identity.ts';
import { isTerminating } from '../children/child.ts';
import { ownerReference } from '../children/ownership/owner.ts';
import { nodeOf } from '../children/pods/placement/node-of-pod.ts';
import { createExtendedDaemonSetController } from './controller.ts';
import { agent, node, podOn, replicaSet, type PodShape } from './extended-daemon-set.fixture.ts';

const key = { namespace: 'edge', name: 'agent' };
const isFailed = { type: replicaSetConditions.canaryFailed, status: 'True', reason: 'Error' } as const;
const [first, failed] = [replicaSet(1), replicaSet(2, { conditions: [isFailed] })];

/** A canary of `agent:2` has failed on node a; b has a pod of `agent:1`, that of c has ended, and d has joined. */
function worldOf(object: Stored<ExtendedDaemonSet>) {
  const world = new FreshWorld();
  const owner = world.put(extendedDaemonSets, withoutIdentity(object));
  const [one, two] = [first, failed].map((each) => {
    const { metadata, ...rest } = withoutIdentity(each);
    const ownerReferences = [ownerReference({ resource: extendedDaemonSets, object: owner })];
    return world.put(extendedDaemonSetReplicaSets, { ...rest, metadata: { ...metadata, ownerReferences } });
  }) as [typeof first, typeof first];
  const there: readonly (readonly [string, typeof first, PodShape?])[] = [
    ['a', two],
    ['b', one],
    ['c', one, { phase: 'Failed', ready: false }],
  ];
  for (const [name, of, shape] of there) {
    const { metadata, ...rest } = withoutIdentity(podOn(name, of, shape));
    const found = { [labels.name]: key.name, [labels.replicaSet]: of.metadata.name };
    world.put(pods, { ...rest, metadata: { ...metadata, labels: found } });
  }
  for (const name of ['a', 'b', 'c', 'd']) world.put(nodes, withoutIdentity(node(name)));
  const controller = createExtendedDaemonSetController(world.readers, 'auto', world.findings);
  const reconcile = (): Reconciled => world.reconcile(controller, 'edge/agent');
  return { world, reconcile };
}

const denied = refusalOf(
  403,
  'patch ExtendedDaemonSet',
  'admission webhook "gitops.example" denied the request: templates are changed in git',
);

/** A webhook of somebody else that refuses every change of the object. */
function refuseChanges(world: FreshWorld): void {
  world.refuse = (operation) => {
    const isStatus = 'subresource' in operation && operation.subresource === 'status';
    return operation.resource.plural === extendedDaemonSets.plural && !isStatus ? denied : undefined;
  };
}

/** The pods that are there to stay: of which replica set, and on which node. */
function podsIn(world: FreshWorld): readonly string[] {
  const stay = world.list(pods).filter((pod) => !isTerminating(pod));
  return stay.map((pod) => `${controllerOf(pod)?.name ?? ''} on ${nodeOf(pod) ?? ''}`).sort();
}

const rollingUpdate = {
  maxUnavailable: '100%',
  slowStartIntervalDuration: '1ms',
  slowStartAdditiveIncrease: 250,
};
const strategy = { rollingUpdate, canary: { duration: '1h' } };
const changes: readonly (readonly [string, Stored<ExtendedDaemonSet>, string])[] = [
  [
    'the template of a canary that has failed is put back',
    agent('agent:2', { strategy, status: { canary: { replicaSet: 'agent-2', nodes: ['a'] } } }),
    'TemplateReverted',
  ],
  [
    'annotations of a canary that has ended are removed',
    agent('agent:1', { strategy, annotations: { [annotations.canaryPaused]: 'true' } }),
    'CanaryEnded',
  ],
];

describe.each(changes)('a plan in which %s', (_, object, word) => {
  it('serves the nodes meanwhile where the API server refuses that, and shows the refusal', () => {
    const { world, reconcile } = worldOf(object);
    refuseChanges(world);
    const reconciled = [1, 2, 3, 4].map(reconcile);
    expect(podsIn(world)).toEqual(['agent-1 on b', 'agent-1 on c', 'agent-1 on d']);
    const last = reconciled.at(-1)?.outcome.results ?? [];
    expect(last.flatMap(({ did, step }) => (did === 'failed' ? [step.why.word] : []))).toEqual([word]);
    const { conditions = [] } = world.get(extendedDaemonSets, key).status ?? {};
    expect(conditions.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ObjectRefused',
      message: denied.message,
    });
  });

  it('leaves the rest to the next plan where that is done', () => {
    const { reconcile } = worldOf(object);
    const changing = [1, 2, 3, 4]
      .map(reconcile)
      .find(({ outcome }) => outcome.results.some(({ step }) => step.why.word === word));
    const [change, ...rest] = changing?.outcome.results ?? [];
    expect(change).toMatchObject({ did: 'done', step: { why: { word } } });
    expect(rest.length).toBeGreaterThan(0);
    for (const each of rest) expect(each).toMatchObject({ did: 'skipped', because: 'plan-outdated' });
  });
});

it('a plan that promotes a canary does nothing else', () => {
  const object = agent('agent:2', {
    strategy,
    annotations: { [annotations.canaryValid]: 'agent-2' },
    status: { canary: { replicaSet: 'agent-2', nodes: ['a'] } },
  });
  const { world, reconcile } = worldOf(object);
  world.edit(extendedDaemonSetReplicaSets, { ...key, name: 'agent-2' }, (found) => ({
    ...found,
    status: { ...found.status, conditions: [] },
  }));
  const promoting = [1, 2, 3]
    .map(reconcile)
    .find(({ outcome }) => outcome.results.some(({ step }) => step.why.word === 'CanaryPromoted'));
  expect(promoting?.outcome.results).toMatchObject([{ did: 'done' }]);
});
