import { extendedDaemonSetReplicaSets, extendedDaemonSets } from '@atoll/api';
import { controllerOf, nodes, pods, podTemplates } from '@atoll/kube';
import { createExtendedDaemonSetController } from '../../../src/extended-daemon-set/controller.ts';
import type { Store } from '../../model/store.ts';
import { podsOfNodes } from '../../neighbours/daemon-pods.ts';
import { garbageCollector } from '../../neighbours/garbage-collector.ts';
import { orphanFinalizer } from '../../neighbours/orphan-finalizer.ts';
import { creates, deletes } from '../../neighbours/people.ts';
import { processOf } from '../../process.ts';
import { objectsOf } from '../../world.ts';
import type { Effect, World } from '../../world.ts';
import { fromOptions } from '../world-options.ts';
import type { WorldOptions } from '../world-options.ts';
import {
  agentCaches,
  agentIn,
  agentKey,
  nodeOfPod,
  podsIn,
  settledAgent,
} from './extended-daemon-set-objects.ts';

export interface AgainWorldOptions extends WorldOptions {
  readonly nodes?: readonly string[];
  /** How the object is deleted. */
  readonly propagation?: 'Background' | 'Orphan';
  /** Replica sets that are not the object's, and their pods, are not seen. */
  readonly bug?: 'sees its own pods alone';
}

/** An object that somebody deletes, with or without its replica sets, and makes again; or whose replica set somebody deletes. */
export function againWorld(options: AgainWorldOptions): World {
  const { nodes: names = ['a'], propagation = 'Background', bug } = options;
  const begin = settledAgent({ nodes: names, canary: undefined, maxUnavailable: 1 });
  const dependents = [extendedDaemonSetReplicaSets, podTemplates];
  const before = agentIn(begin);
  if (before === undefined) throw new Error('there is no object');
  const { namespace = '', name, annotations = {} } = before.metadata;
  const again = { metadata: { namespace, name, annotations }, spec: before.spec };
  return {
    ...fromOptions({ patient: true, ...options }),
    build: (shown) =>
      processOf(shown, agentCaches, (readers) => {
        const controller = createExtendedDaemonSetController(readers, 'auto');
        return bug === undefined ? controller : seeingItsOwn(controller);
      }),
    begin,
    // The garbage collector deletes the same pods, and frees the name of the PodTemplate.
    effort: false,
    keys: [agentKey],
    neighbours: [
      podsOfNodes,
      deletes('delete', extendedDaemonSets, () => true, propagation),
      creates('make again', extendedDaemonSets, [again]),
      deletes('delete its replica set', extendedDaemonSetReplicaSets),
      garbageCollector([...dependents, pods]),
      orphanFinalizer(extendedDaemonSetReplicaSets, [pods]),
      ...(propagation === 'Orphan' ? [orphanFinalizer(extendedDaemonSets, dependents)] : []),
    ],
    wrongEffect: (effect) => wrongEffect(effect, propagation),
    missing,
  };
}

/** No node has two pods, and what was kept is not deleted. */
function wrongEffect(
  { after, request }: Effect,
  propagation: AgainWorldOptions['propagation'],
): string | undefined {
  if (request.resource.plural !== 'pods') return undefined;
  if (request.verb === 'delete' && propagation === 'Orphan')
    return `${request.key.name} was kept and is deleted`;
  if (request.verb !== 'create') return undefined;
  const double = objectsOf(after, nodes).find(({ metadata }) => podsOn(after, metadata.name).length > 1);
  return double === undefined ? undefined : `${double.metadata.name} has two pods`;
}

/** Every node has one pod, of a replica set of the object. */
function missing(store: Store): string | undefined {
  const agent = agentIn(store);
  if (agent === undefined) return undefined;
  for (const { metadata } of objectsOf(store, nodes)) {
    const [pod, ...others] = podsOn(store, metadata.name);
    if (pod === undefined) return `${metadata.name} has no pod`;
    if (others.length > 0) return `${metadata.name} has two pods`;
    const uid = controllerOf(pod)?.uid;
    const replicaSet = objectsOf(store, extendedDaemonSetReplicaSets).find(
      (each) => each.metadata.uid === uid,
    );
    const owner = replicaSet === undefined ? undefined : controllerOf(replicaSet);
    if (owner?.uid !== agent.metadata.uid) return `${metadata.name} has a pod that is not the object's`;
  }
  return undefined;
}

function podsOn(store: Store, node: string): ReturnType<typeof podsIn> {
  return podsIn(store).filter((pod) => nodeOfPod(pod) === node);
}

type AgentController = ReturnType<typeof createExtendedDaemonSetController>;

function seeingItsOwn(controller: AgentController): AgentController {
  return {
    ...controller,
    observe: (key) => {
      const found = controller.observe(key);
      const former = new Set(found?.formerPods.map(({ pod }) => pod));
      return (
        found && { ...found, orphans: [], formerPods: [], pods: found.pods.filter((pod) => !former.has(pod)) }
      );
    },
  };
}
