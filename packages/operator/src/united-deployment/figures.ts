import { totalReplicas, type UnitedDeployment } from '@atoll/api';
import { reasonUnlessTrue, type FiguresOf } from '../definitions/object-figures.ts';

export const unitedDeploymentFigures: FiguresOf<UnitedDeployment> = (object) => {
  const { spec, status } = object;
  return {
    // Where the subsets decide, the operator keeps their sum there.
    desired: totalReplicas(object) ?? spec.replicas,
    updated: status?.updatedReplicas,
    available: status?.subsetStatuses?.reduce((total, each) => total + (each.availableReplicas ?? 0), 0),
    waitsFor: reasonUnlessTrue(status?.conditions),
  };
};
