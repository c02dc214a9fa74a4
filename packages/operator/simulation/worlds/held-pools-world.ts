import { nodePools, type PoolWorkload } from '@atoll/api';
import type { KubeObject, Resource } from '@atoll/kube';
import type { PolicyOf } from '../../src/engine/rollout/rollout-policy.ts';
import { decide } from '../../src/pool-workload/decide.ts';
import type { PoolWorkloadSnapshot } from '../../src/pool-workload/observe.ts';
import { unitedDaemonSetKind } from '../../src/pool-workload/controller.ts';
import { creates } from '../neighbours/people.ts';
import { objectsOf } from '../world.ts';
import { heldPlacesWorld, type HeldPlacesBug, type Owner } from './held-places-world.ts';
import {
  childKindOf,
  childKinds,
  imageIn,
  imageOf,
  isSelected,
  poolOf,
  templateOf,
  type WithPods,
} from './pool-workload-objects.ts';
import { poolWorkloadWorld, type PoolWorkloadWorldOptions } from './pool-workload-world.ts';
import { withPlanted } from './world-parts.ts';

/** A UnitedDaemonSet whose pools are released one by one; `join` lets the pool sh join. */
export function heldPoolsWorld(options: PoolWorkloadWorldOptions, bug?: HeldPlacesBug) {
  return heldPlacesWorld(
    {
      world: (policyOf) => heldPools(options, policyOf as PolicyOf<PoolWorkload>),
      resource: unitedDaemonSetKind.resource as Resource<KubeObject> as Resource<Owner>,
      childKinds,
      placesOf: (store) =>
        objectsOf(store, nodePools)
          .filter(isSelected)
          .map(({ metadata }) => metadata.name),
      placeOf: poolOf,
      describe: (child) => `${child.kind} ${imageIn(child as WithPods)}`,
      asked: (owner) => {
        const workload = owner as PoolWorkload;
        return `${childKindOf(workload).kind} ${imageOf(workload)}`;
      },
      replicas: (owner, pools) => pools * replicasOf(owner as PoolWorkload),
      joins: creates('join', nodePools, [{ metadata: { name: 'sh', labels: { tier: 'a' } } }]),
    },
    bug,
  );
}

/** The decision alone is another one. */
function heldPools(options: PoolWorkloadWorldOptions, policyOf: PolicyOf<PoolWorkload>) {
  return withPlanted<PoolWorkloadSnapshot>(poolWorkloadWorld(options), (controller) => ({
    ...controller,
    decide: (snapshot, now) => decide(snapshot, now, policyOf),
  }));
}

function replicasOf(workload: PoolWorkload): number {
  const { spec } = workload.spec.workloadTemplate?.[templateOf(workload)] ?? {};
  return Number((spec as { readonly replicas?: number } | undefined)?.replicas ?? 1);
}
