import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import type { KubeObject, Resource } from '@atoll/kube';
import type { PolicyOf } from '../../src/engine/rollout/rollout-policy.ts';
import { decide } from '../../src/united-deployment/decide.ts';
import type { UnitedDeploymentSnapshot } from '../../src/united-deployment/observe.ts';
import { edits } from '../neighbours/people.ts';
import { objectsOf } from '../world.ts';
import { heldPlacesWorld, type HeldPlacesBug, type Owner } from './held-places-world.ts';
import { missingPods } from './united-deployment/united-deployment-goals.ts';
import {
  childResources,
  imageIn,
  imageOf,
  kindOf,
  subsetOf,
  subsetsOf,
  type SmallChild,
} from './united-deployment/united-deployment-objects.ts';
import {
  unitedDeploymentWorld,
  type UnitedDeploymentWorldOptions,
} from './united-deployment/united-deployment-world.ts';
import { withPlanted } from './world-parts.ts';

/** A UnitedDeployment whose subsets are released one by one; `join` adds the subset c. */
export function heldSubsetsWorld(options: UnitedDeploymentWorldOptions, bug?: HeldPlacesBug) {
  return heldPlacesWorld(
    {
      world: (policyOf) => heldSubsets(options, policyOf as PolicyOf<UnitedDeployment>),
      resource: unitedDeployments as Resource<KubeObject> as Resource<Owner>,
      childKinds: childResources,
      placesOf: (store) =>
        objectsOf(store, unitedDeployments).flatMap((owner) => subsetsOf(owner).map(({ name }) => name)),
      placeOf: subsetOf,
      describe: (child) => `${child.kind} ${imageIn(child as SmallChild)}`,
      asked: (owner) => {
        const united = owner as UnitedDeployment;
        return `${kindOf(united)} ${imageOf(united)}`;
      },
      replicas: (owner) => (owner as UnitedDeployment).spec.replicas ?? 0,
      missing: (store, owner) => missingPods(store, owner as UnitedDeployment),
      joins: edits('join', unitedDeployments, (object) =>
        subsetsOf(object).some(({ name }) => name === 'c')
          ? []
          : [
              {
                label: 'adds subset c',
                patch: { spec: { topology: { subsets: [...subsetsOf(object), { name: 'c' }] } } },
              },
            ],
      ),
    },
    bug,
  );
}

/** The decision alone is another one. */
function heldSubsets(options: UnitedDeploymentWorldOptions, policyOf: PolicyOf<UnitedDeployment>) {
  return withPlanted<UnitedDeploymentSnapshot>(unitedDeploymentWorld(options), (controller) => ({
    ...controller,
    decide: (snapshot, now) => decide(snapshot, now, policyOf),
  }));
}
