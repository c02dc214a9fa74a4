import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetLabels as labels,
  extendedDaemonSets,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { controllerOf, daemonSets, isReady, keyOf, nodes, pods } from '@atoll/kube';
import type { DaemonSet, Node, Pod } from '@atoll/kube';
import { ownerReference } from '../../../src/children/ownership/owner.ts';
import { createExtendedDaemonSetController } from '../../../src/extended-daemon-set/controller.ts';
import type { ExtendedDaemonSetSnapshot } from '../../../src/extended-daemon-set/observe.ts';
import { emptyStore, seed, slotOf, storedOf, type Store } from '../../model/store.ts';
import { podsOfNodes } from '../../neighbours/daemon-pods.ts';
import { orphanFinalizer } from '../../neighbours/orphan-finalizer.ts';
import { processOf } from '../../process.ts';
import { objectsOf } from '../../world.ts';
import type { Effect, Move, Neighbour, World } from '../../world.ts';
import { fromOptions, stamp } from '../world-options.ts';
import type { WorldOptions } from '../world-options.ts';
import {
  agentCaches,
  agentKey,
  imageIn,
  isGoing,
  nodeOfPod,
  nodeReadiness,
  podsIn,
  podStatusOf,
  templateOf,
} from './extended-daemon-set-objects.ts';

/** What the operator does wrong with a DaemonSet that an object replaces. */
export type MigrationBug = 'does not wait for it' | 'counts only pods without an owner' | 'labels nothing';

export interface MigrationWorldOptions extends WorldOptions {
  readonly nodes?: readonly string[];
  /** It makes no pods any more: its nodes have a taint that it does not tolerate. */
  readonly inert?: boolean;
  readonly bug?: MigrationBug;
}

const slot = slotOf(daemonSets, { namespace: 'edge', name: 'legacy' });

/** A DaemonSet with a pod on every node, and an object that is to replace it; somebody deletes it and keeps its pods, once they are labelled. */
export function migrationWorld(options: MigrationWorldOptions): World {
  const { nodes: names = ['a', 'b'], inert = false, bug } = options;
  return {
    ...fromOptions({ patient: true, ...options }),
    build: (shown) =>
      processOf(shown, agentCaches, (readers) =>
        withBug(createExtendedDaemonSetController(readers, 'auto'), bug),
      ),
    begin: beginWith(names, inert),
    keys: [agentKey],
    neighbours: [
      podsOfNodes,
      ...(inert ? [] : [daemonSetController, handOver, orphanFinalizer(daemonSets, [pods])]),
    ],
    wrongEffect: (effect) => wrongEffect(effect, inert),
    missing: (store) => missing(store, inert),
  };
}

function beginWith(names: readonly string[], inert: boolean): Store {
  const template = templateOf('v1');
  const tolerations = inert ? [{ key: 'moved', operator: 'Exists' }] : [];
  const agent: ExtendedDaemonSet = {
    metadata: { namespace: 'edge', name: 'agent', annotations: { [annotations.oldDaemonSet]: 'legacy' } },
    spec: {
      template: { ...template, spec: { ...template.spec, tolerations } } as typeof template,
      strategy: {
        reconcileFrequency: '1ms',
        rollingUpdate: { maxUnavailable: 1, slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 9 },
      },
    },
  };
  const legacy: DaemonSet = {
    metadata: { namespace: 'edge', name: 'legacy' },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: templateOf('v0') },
  };
  let store = seed(emptyStore, extendedDaemonSets, agent, 'uid-agent', stamp);
  store = seed(store, daemonSets, legacy, 'uid-legacy', stamp);
  const taints = inert ? [{ key: 'moved', effect: 'NoSchedule' }] : [];
  for (const name of names) {
    const node: Node = { metadata: { name, labels: {} }, spec: { taints }, ...nodeReadiness('True') };
    store = seed(store, nodes, node, `uid-${name}`, stamp);
    const made = podOfDaemonSet(store, name);
    const pod = { ...made, spec: { ...made.spec, nodeName: name }, status: podStatusOf('v0') } as Pod;
    store = seed(store, pods, pod, `uid-legacy-${name}`, stamp);
  }
  return store;
}

function podOfDaemonSet(store: Store, node: string): Pod {
  const held = store.objects.get(slot);
  if (held === undefined) throw new Error('no DaemonSet');
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return {
    metadata: {
      namespace: 'edge',
      name: `legacy-${node}`,
      labels: { app: 'agent' },
      ownerReferences: [ownerReference({ resource: daemonSets, object: storedOf(held) })],
    },
    spec: {
      ...templateOf('v0').spec,
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    } as NonNullable<Pod['spec']>,
  };
}

function isLegacys(pod: Pod): boolean {
  return controllerOf(pod)?.uid === 'uid-legacy';
}

/** Makes a pod where a node has none of it, not even one that ends, until it is deleted. */
const daemonSetController: Neighbour = {
  name: 'daemon set controller',
  moves: (store) => {
    const legacy = objectsOf(store, daemonSets)[0];
    if (legacy === undefined || isGoing(legacy)) return [];
    const served = new Set(podsIn(store).filter(isLegacys).map(nodeOfPod));
    return objectsOf(store, nodes)
      .filter(({ metadata }) => !served.has(metadata.name))
      .map(({ metadata: { name } }): Move => ({
        label: `makes a pod of the DaemonSet on ${name}`,
        operation: { verb: 'create', resource: pods, object: podOfDaemonSet(store, name) },
      }));
  },
};

/** Somebody who deletes the DaemonSet and keeps its pods, as the condition asks: not before they are labelled. */
const handOver: Neighbour = {
  name: 'hand over',
  spends: 'hand over',
  moves: (store) => {
    const legacy = objectsOf(store, daemonSets)[0];
    const isLabelled = ({ metadata }: Pod): boolean => metadata.labels?.[labels.name] === 'agent';
    if (legacy === undefined || isGoing(legacy)) return [];
    if (!podsIn(store).filter(isLegacys).every(isLabelled)) return [];
    const options = { uid: 'uid-legacy', propagationPolicy: 'Orphan' } as const;
    return [
      {
        label: 'deletes the DaemonSet and keeps its pods',
        operation: { verb: 'delete', resource: daemonSets, key: keyOf(legacy), options },
      },
    ];
  },
};

/** No node has two pods, no pod goes that would be made again, and one node at most is without a pod that is Ready. */
function wrongEffect({ before, after, request }: Effect, inert: boolean): string | undefined {
  if (request.resource.plural !== 'pods') return undefined;
  const double = objectsOf(after, nodes).find(
    ({ metadata }) => podsIn(after).filter((pod) => nodeOfPod(pod) === metadata.name).length > 1,
  );
  if (request.verb === 'create' && double !== undefined) return `${double.metadata.name} has two pods`;
  if (request.verb !== 'delete') return undefined;
  const pod = before.objects.get(slotOf(pods, request.key))?.object as Pod | undefined;
  if (pod !== undefined && isLegacys(pod) && before.objects.has(slot) && !inert)
    return `${pod.metadata.name} is deleted, and the DaemonSet makes it again`;
  const down = objectsOf(after, nodes).filter(
    ({ metadata: { name } }) =>
      !podsIn(after).some((each) => nodeOfPod(each) === name && isReady(each) && !isGoing(each)),
  );
  return down.length > 1 ? `${down.length} nodes are down at once` : undefined;
}

/** Every node runs the object's template, once the DaemonSet makes no pods any more; before, nothing has changed. */
function missing(store: Store, inert: boolean): string | undefined {
  const makes = store.objects.has(slot) && !inert;
  for (const { metadata } of objectsOf(store, nodes)) {
    const [pod, ...others] = podsIn(store).filter((each) => nodeOfPod(each) === metadata.name);
    if (pod === undefined || others.length > 0)
      return `${metadata.name} has ${pod === undefined ? 'no pod' : 'two pods'}`;
    if (makes && pod.metadata.labels?.[labels.name] !== 'agent')
      return `${pod.metadata.name} is not labelled`;
    if (imageIn(pod) !== (makes ? 'v0' : 'v1')) return `${metadata.name} does not run ${makes ? 'v0' : 'v1'}`;
  }
  return undefined;
}

type AgentController = ReturnType<typeof createExtendedDaemonSetController>;

function withBug(controller: AgentController, bug: MigrationBug | undefined): AgentController {
  if (bug === undefined) return controller;
  return {
    ...controller,
    observe: (key) => {
      const found = controller.observe(key);
      return found === undefined ? undefined : seenWith(bug, found);
    },
  };
}

function seenWith(bug: MigrationBug, found: ExtendedDaemonSetSnapshot): ExtendedDaemonSetSnapshot {
  switch (bug) {
    case 'does not wait for it':
      return { ...found, oldDaemonSet: undefined };
    case 'counts only pods without an owner':
      return { ...found, pods: found.pods.filter((pod) => controllerOf(pod)?.kind !== 'DaemonSet') };
    case 'labels nothing': {
      const { oldDaemonSet: old } = found;
      return { ...found, oldDaemonSet: old === undefined ? undefined : { ...old, unlabelled: [] } };
    }
  }
}
