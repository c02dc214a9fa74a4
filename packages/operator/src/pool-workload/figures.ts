import type { PoolWorkload } from '@atoll/api';
import { reasonUnlessTrue, type FiguresOf } from '../definitions/object-figures.ts';

export const poolWorkloadFigures: FiguresOf<PoolWorkload> = ({ status }) => {
  const sum = (field: 'replicas' | 'updatedReplicas' | 'availableReplicas'): number | undefined =>
    status?.pools?.reduce((total, pool) => total + (pool[field] ?? 0), 0);
  return {
    desired: sum('replicas'),
    updated: sum('updatedReplicas'),
    available: sum('availableReplicas'),
    waitsFor: reasonUnlessTrue(status?.conditions),
  };
};
