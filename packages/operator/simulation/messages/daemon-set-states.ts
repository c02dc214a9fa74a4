import { daemonSetUpdate } from '@atoll/api';
import { ApiError, controllerRevisions, daemonSets, deployments, nodes, pods } from '@atoll/kube';
import type { DaemonSet, KubeObject, Pod, Resource, Stored } from '@atoll/kube';
import { unseenPods } from '../../src/causes/unseen-pods.ts';
import { createDaemonSetUpgradeController } from '../../src/daemon-set/controller.ts';
import * as example from '../../src/daemon-set/daemon-set.fixture.ts';
import { FreshWorld } from '../examples/fresh-world.ts';
import { describeState } from './describe-state.ts';
import { withoutIdentity } from './without-identity.ts';

const { annotations, nodeLabels, podConditions } = daemonSetUpdate;
const key = { namespace: 'edge', name: 'agent' };
const ota = { [annotations.updateStrategy]: 'OTA' };

interface Given {
  readonly object?: Stored<DaemonSet>;
  /** What is put into the world is of generation 1. */
  readonly observedGeneration?: number;
  readonly pods?: readonly Stored<Pod>[];
  readonly nodes?: readonly Parameters<typeof example.node>[];
}

const outdated = [example.podOn('n1'), example.podOn('n2')];
const current = [example.podOn('n1', example.upgraded), example.podOn('n2', example.upgraded)];

/** What a DaemonSet shows in every state that has words of its own. */
export function daemonSetStates(): readonly string[] {
  const { agent, podOn, upgraded } = example;
  return [
    state('all nodes are up to date', { pods: current }),
    state('the template changes', { pods: outdated }),
    state('a new pod is not ready', { pods: [podOn('n1', { ...upgraded, ready: false }), podOn('n2')] }),
    state('the last new pod is not ready', {
      pods: [podOn('n1', { ...upgraded, ready: false }), podOn('n2', upgraded)],
    }),
    state('a pod does not end', {
      pods: [endingAt(podOn('n1'), '2026-11-01T09:00:00Z'), podOn('n2')],
    }),
    state(
      'the image of a new pod cannot be pulled',
      { pods: [podOn('n1', { ...upgraded, ready: false }), podOn('n2')] },
      findsNoImage,
    ),
    state('a pod was adopted without the label of its template', { pods: outdated.slice(0, 1) }, (world) => {
      const { metadata, ...pod } = example.podOn('n2');
      const finding = unseenPods([{ ...pod, metadata: { ...metadata, labels: {} } }]);
      if (finding !== undefined) world.findings.set(world.get(daemonSets, key).metadata.uid, finding);
    }),
    state('a node is away', {
      pods: [podOn('n1', upgraded), podOn('n2')],
      nodes: [['n1'], ['n2', { awaySince: '2026-11-01T09:00:00Z' }]],
    }),
    state('a node went away, and its new pod is not there', {
      pods: [podOn('n1', upgraded)],
      nodes: [['n1'], ['n2', { awaySince: '2026-11-01T09:00:00Z' }]],
    }),
    state('a node is excluded', {
      pods: [podOn('n1', upgraded), podOn('n2')],
      nodes: [['n1'], ['n2', { labels: { [nodeLabels.excluded]: 'true' } }]],
    }),
    state('a node is excluded by another value than true', {
      pods: [podOn('n1', upgraded), podOn('n2')],
      nodes: [['n1'], ['n2', { labels: { [nodeLabels.excluded]: 'yes' } }]],
    }),
    state('a node is excluded, and its pod is not available', {
      pods: [podOn('n1'), podOn('n2', { ready: false })],
      nodes: [['n1'], ['n2', { labels: { [nodeLabels.excluded]: 'true' } }]],
    }),
    state('a node got a taint that the template does not tolerate', {
      pods: [podOn('n1', upgraded), podOn('n2')],
      nodes: [['n1'], ['n2', { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] }]],
    }),
    state('the rollout is paused', {
      object: agent({ [annotations.rolloutPaused]: 'true' }),
      pods: outdated,
    }),
    state('the rollout is paused, and a pod is missing', {
      object: agent({ [annotations.rolloutPaused]: 'true' }),
      pods: [podOn('n1', upgraded)],
    }),
    state('the deletion of a pod is refused', { pods: outdated }, (world) => {
      const refusal = {
        fate: 'refused',
        code: 403,
        reason: 'Forbidden',
        message: 'denied by policy',
      } as const;
      world.refuse = (operation) =>
        operation.verb === 'delete' && operation.key.name === 'agent-n1-old'
          ? new ApiError({ ...refusal, attempted: 'delete pod agent-n1-old' })
          : undefined;
    }),
    state(
      'a PodDisruptionBudget does not allow an eviction',
      { object: agent({ [annotations.respectDisruptionBudgets]: 'true' }), pods: outdated },
      (world) => {
        const message = "Cannot evict pod as it would violate the pod's disruption budget.";
        const refusal = { fate: 'refused', code: 429, reason: 'TooManyRequests', message } as const;
        world.refuse = ({ verb }) =>
          verb === 'delete'
            ? new ApiError({ ...refusal, attempted: 'create eviction of pod agent-n1-old' })
            : undefined;
      },
    ),
    state('the DaemonSet controller has not seen the template', {
      pods: outdated,
      observedGeneration: 0,
    }),
    state('owners of nodes decide', { object: agent(ota), pods: outdated }),
    state(
      'owners of nodes decide, and the image of an upgraded pod cannot be pulled',
      { object: agent(ota), pods: [podOn('n1', { ...upgraded, ready: false }), podOn('n2')] },
      findsNoImage,
    ),
    state('owners of nodes decide, and one of the pods is bound to no node', {
      object: agent(ota),
      pods: [podOn('n1', upgraded), unbound(podOn('n2', { ready: false }))],
    }),
    state('owners of nodes decide, and one of the pods ends', {
      object: agent(ota),
      pods: [podOn('n1', upgraded), endingAt(podOn('n2'), '2026-11-01T10:00:00Z')],
    }),
    state('owners of nodes do not decide any more', { pods: current.map(marked) }),
    state('the strategy is unknown', { object: agent({ [annotations.updateStrategy]: 'Rolling' }) }),
    state('the update strategy is not OnDelete', { object: agent({}, { updateStrategy: {} }) }),
    state("OpenYurt's yurt-manager runs", { pods: outdated }, (world) => {
      const spec = { replicas: 1, selector: {}, template: {} };
      world.put(deployments, { metadata: { namespace: 'kube-system', name: 'yurt-manager' }, spec });
    }),
  ];
}

function findsNoImage(world: FreshWorld): void {
  const [pod] = world.list(pods);
  const name = pod?.metadata.name ?? '';
  const message = `pod ${name} on node n1: container agent cannot pull its image agent:3: not found`;
  const finding = { word: 'ImagePullBackOff', message, pods: [name], nodes: ['n1'] } as const;
  world.findings.set(world.get(daemonSets, key).metadata.uid, finding);
}

function unbound(pod: Stored<Pod>): Stored<Pod> {
  const term = {
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [pod.spec?.nodeName ?? ''] }],
  };
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } };
  return { ...pod, spec: { containers: [], affinity: { nodeAffinity: required } } };
}

function endingAt(pod: Stored<Pod>, deletionTimestamp: string): Stored<Pod> {
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp } };
}

function marked(pod: Stored<Pod>): Stored<Pod> {
  const condition = { type: podConditions.needUpgrade, status: 'False' };
  return { ...pod, status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []), condition] } };
}

function state(title: string, given: Given, act: (world: FreshWorld) => void = () => undefined): string {
  const { object = example.agent(), pods: there = [], nodes: fleet = [['n1'], ['n2']] } = given;
  const { observedGeneration = 1 } = given;
  const world = new FreshWorld();
  const { metadata } = world.put(daemonSets, {
    ...withoutIdentity(object),
    status: { ...object.status, observedGeneration } as NonNullable<DaemonSet['status']>,
  });
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'DaemonSet', name: metadata.name, uid: metadata.uid, controller: true },
  ];
  const owned = <T extends KubeObject>(found: Stored<T>): T => {
    const { metadata: own, ...rest } = withoutIdentity(found);
    return { ...rest, metadata: { ...own, ownerReferences } } as unknown as T;
  };
  for (const each of [example.revision('old', 1), example.revision('new', 2)])
    world.put(controllerRevisions, owned(each));
  for (const pod of there) world.put(pods, owned(pod));
  for (const args of fleet) world.put(nodes, withoutIdentity(example.node(...args)));
  act(world);
  const controller = createDaemonSetUpgradeController(world.readers, world.findings);
  const shown = [daemonSets as Resource<KubeObject>, key] as const;
  return describeState({ title, world, controller, key: 'edge/agent', object: shown });
}
