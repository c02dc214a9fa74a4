import { annotations, nodePools, type NodePool } from '@atoll/api';
import {
  compileSelector,
  configMaps,
  formatKey,
  selectorMatches,
  selectorProblems,
  stableHash,
} from '@atoll/kube';
import type { ConfigMap, KubeObject, Reader, Stored } from '@atoll/kube';
import * as atoll from '@atoll/operator';
import { poolConfigs as resource, type PoolConfig } from './schema/pool-config.ts';

export const poolLabel = 'examples.atoll.dev/pool';

/** What the caches hold of one PoolConfig. */
interface Snapshot {
  readonly config: Stored<PoolConfig>;
  readonly pools: readonly Stored<NodePool>[];
  readonly present: readonly Stored<ConfigMap>[];
  readonly certain: boolean;
}

/** Keeps one ConfigMap for every pool that a PoolConfig selects. */
export function createPoolConfigController(readers: {
  readonly poolConfigs: Reader<PoolConfig>;
  readonly nodePools: Reader<NodePool>;
  readonly poolConfigMaps: Reader<ConfigMap>;
}): atoll.Controller<Snapshot, atoll.KeptObjects> {
  const { poolConfigs, poolConfigMaps } = readers;
  const everyKey = () => poolConfigs.list().map(({ metadata }) => formatKey(metadata));
  return {
    name: 'pool-config',
    resource,
    sources: [
      atoll.ownSource(poolConfigs),
      atoll.source(readers.nodePools, everyKey),
      atoll.source(poolConfigMaps, (event) => atoll.keysForChild(resource, poolConfigs, event)),
    ],
    observe(key) {
      const config = poolConfigs.get(key);
      if (config === undefined) return undefined;
      const present = poolConfigMaps.by('owner', config.metadata.uid);
      const certain = readers.nodePools.synced && poolConfigMaps.synced;
      return { config, pools: readers.nodePools.list(), present, certain };
    },
    decide({ config, pools, present, certain }) {
      const { nodePoolSelector } = config.spec;
      const holds = selectorProblems(nodePoolSelector, 'spec.nodePoolSelector').map(({ path, message }) =>
        atoll.hold('InvalidSelector', 'person', [], { problem: `${path}: ${message}` }, true),
      );
      const selector = compileSelector(holds.length === 0 ? nodePoolSelector : undefined);
      const selected = pools.filter(({ metadata }) => selectorMatches(selector, metadata.labels));
      const owner = { resource, object: config };
      const wanted = new Map(selected.map(({ metadata: { name } }) => [name, renderConfigMap(config, name)]));
      const placeOf = ({ metadata }: KubeObject) => metadata.labels?.[poolLabel] ?? '';
      return atoll.decideObjects({ owner, resource: configMaps, wanted, present, placeOf, certain, holds });
    },
    plan: ({ pools }, decided) =>
      atoll.planObjects(decided, (name) => {
        const pool = pools.find(({ metadata }) => metadata.name === name);
        return atoll.seenAs(nodePools, { name }, pool);
      }),
    report: ({ present }, decided, outcome, now) =>
      atoll.reportObjects(decided, 'pools', { configMaps: present.length }, outcome, now),
  };
}

/** The ConfigMap of one pool. Its name is the same in every process, so a repeated create finds it and makes no second one. */
function renderConfigMap(config: Stored<PoolConfig>, pool: string): ConfigMap {
  const data = { ...config.spec.data, pool };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: atoll.childName(config.metadata, pool),
      namespace: config.metadata.namespace ?? '',
      labels: { [poolLabel]: pool },
      // Shows that a key was taken out of the spec: others may add keys of their own.
      annotations: { [annotations.appliedHash]: stableHash(data) },
      ownerReferences: [atoll.ownerReference({ resource, object: config })],
    },
    data,
  };
}
