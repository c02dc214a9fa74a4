import { annotations, conditionTypes, labels, nodePools, yurtAppDaemons, type NodePool } from '@atoll/api';
import {
  controllerRevisions,
  deployments,
  semanticallyEqual,
  type Deployment,
  type Stored,
} from '@atoll/kube';
import type { FreshWorld } from '../examples/fresh-world.ts';
import { webKey } from '../examples/worked-example.ts';
import { oldChild, oldRevision } from '../../src/pool-workload/take-over/old-operator.fixture.ts';

export const oldManager = 'yurt-manager';

/**
 * A reconcile of the worked example by a yurt-manager that was not stopped (`reference/openyurt.md` 3.1.2 to 3.1.6), without its webhook for
 * Deployments. `pools`: the order in which its status names them, which is by chance. True: it wrote.
 */
export function reconcileAsOldController(
  world: FreshWorld,
  pools: readonly string[] = [],
  manager = oldManager,
): boolean {
  const revised = reviseAsOldController(world);
  const children = world
    .list(deployments)
    .filter(({ metadata }) => metadata.annotations?.[annotations.refNodePool] !== undefined);
  const outdated = children.filter((child) => isOutdated(world, child, revised.name));
  for (const child of outdated) updateChild(world, child, revised.name);
  const reported = reportAsOldController(world, pools, manager);
  return revised.wrote || outdated.length > 0 || reported;
}

/** It compares revisions by their bytes, and so finds none of Atoll's; the one that it uses becomes the newest. */
function reviseAsOldController(world: FreshWorld): { readonly name: string; readonly wrote: boolean } {
  const owner = world.get(yurtAppDaemons, webKey);
  const data = oldRevision(owner, 'web-x', 0).data as object;
  const history = world.list(controllerRevisions).toSorted((a, b) => (a.revision ?? 0) - (b.revision ?? 0));
  const number = (history.at(-1)?.revision ?? 0) + 1;
  const known = history.findLast(
    (each) =>
      each.metadata.labels?.[labels.workload] === undefined && semanticallyEqual(each.data as object, data),
  );
  const name = known?.metadata.name ?? `web-old${number}`;
  if (known === undefined) world.put(controllerRevisions, oldRevision(owner, name, number));
  else if (known !== history.at(-1)) {
    world.edit(controllerRevisions, { namespace: 'ns', name }, (found) => ({ ...found, revision: number }));
  }
  return { name, wrote: known === undefined || known !== history.at(-1) };
}

function isOutdated(world: FreshWorld, child: Stored<Deployment>, revision: string): boolean {
  const { nodeSelector = {}, tolerations = [] } = child.spec?.template.spec ?? {};
  const { metadata, spec: { taints = [] } = {} } = poolOf(world, child);
  const tolerated = taints.every(({ key, value }) =>
    tolerations.some((each) => each.key === key && (each.operator === 'Exists' || each.value === value)),
  );
  const isPlaced = semanticallyEqual(nodeSelector, { [labels.nodePool]: metadata.name });
  return !isPlaced || !tolerated || child.metadata.labels?.[labels.controllerRevisionHash] !== revision;
}

function updateChild(world: FreshWorld, child: Stored<Deployment>, revision: string): void {
  const owner = world.get(yurtAppDaemons, webKey);
  const { metadata, spec } = oldChild({ owner, pool: poolOf(world, child), suffix: '', revision });
  world.edit(deployments, { namespace: 'ns', name: child.metadata.name }, (found) => ({
    ...found,
    metadata: {
      ...found.metadata,
      labels: { ...found.metadata.labels, ...metadata.labels },
      annotations: { ...found.metadata.annotations, ...metadata.annotations },
      managedFields: [
        { manager: oldManager, operation: 'Update', fieldsV1: {} },
        ...(found.metadata.managedFields ?? []).filter(({ manager }) => manager !== oldManager),
      ],
    },
    spec: { ...spec, selector: found.spec?.selector },
  }));
}

/** A PUT of what it knows of the status: it takes WorkLoadFailure away, and its conditions have no generation. */
function reportAsOldController(world: FreshWorld, pools: readonly string[], manager: string): boolean {
  const { metadata, status } = world.get(yurtAppDaemons, webKey);
  const {
    collisionCount,
    currentRevision = '',
    templateType = 'Deployment',
    conditions: found = [],
  } = status ?? {};
  const conditions = found
    .filter(({ type }) => type !== conditionTypes.workLoadFailure)
    .map(({ observedGeneration: _dropped, ...known }) => known);
  const nodepools = pools.length > 0 ? pools : (status?.nodepools ?? []);
  const isSame =
    found.length === conditions.length &&
    status?.observedGeneration === metadata.generation &&
    nodepools.join() === (status?.nodepools ?? []).join();
  if (isSame) return false;
  const observedGeneration = metadata.generation ?? 0;
  world.edit(yurtAppDaemons, webKey, (object) => ({
    ...object,
    status: { observedGeneration, collisionCount, currentRevision, templateType, conditions, nodepools },
  }));
  noteStatusWriter(world, manager);
  return true;
}

function poolOf(world: FreshWorld, { metadata }: Stored<Deployment>): NodePool {
  return world.get(nodePools, { name: metadata.annotations?.[annotations.refNodePool] ?? '' });
}

/** The API server writes down who wrote the status, and when. */
export function noteStatusWriter(world: FreshWorld, manager: string): void {
  const time = new Date(world.now).toISOString().replace(/\.\d+Z$/, 'Z');
  world.edit(yurtAppDaemons, webKey, ({ status: _kept, ...object }) => ({
    ...object,
    metadata: {
      ...object.metadata,
      managedFields: [
        ...(object.metadata.managedFields ?? []).filter((entry) => entry.manager !== manager),
        { manager, operation: 'Update', subresource: 'status', time },
      ],
    },
  }));
}
