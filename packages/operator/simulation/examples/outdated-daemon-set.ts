import { controllerRevisions, daemonSets, nodes, pods } from '@atoll/kube';
import { agent, node, podOn, revision } from '../../src/daemon-set/daemon-set.fixture.ts';
import { withoutIdentity } from '../messages/without-identity.ts';
import { FreshWorld } from './fresh-world.ts';

/** The DaemonSet edge/agent with these annotations, whose controller has seen its newest template, and an outdated pod on each node; `broken`: nodes whose pod is not Ready. `owned` makes an object its own. */
export function outdatedDaemonSet(
  annotations: Readonly<Record<string, string>>,
  names: readonly string[],
  broken: readonly string[] = [],
): { readonly world: FreshWorld; readonly owned: <T extends { readonly metadata: object }>(object: T) => T } {
  const world = new FreshWorld();
  const { metadata } = world.put(daemonSets, withoutIdentity(agent(annotations)));
  world.edit(daemonSets, { namespace: 'edge', name: 'agent' }, (each) => ({
    ...each,
    status: { ...each.status, observedGeneration: each.metadata.generation },
  }));
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: metadata.uid, controller: true },
  ];
  const owned = <T extends { readonly metadata: object }>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, ownerReferences },
  });
  for (const each of [revision('old', 1), revision('new', 2)])
    world.put(controllerRevisions, owned(withoutIdentity(each)));
  for (const name of names) {
    world.put(nodes, withoutIdentity(node(name)));
    world.put(pods, owned(withoutIdentity(podOn(name, { ready: !broken.includes(name) }))));
  }
  return { world, owned };
}
