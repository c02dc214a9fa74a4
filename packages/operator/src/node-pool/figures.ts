import type { NodePool } from '@atoll/api';
import { reasonUnlessTrue, type FiguresOf } from '../definitions/object-figures.ts';

export const nodePoolFigures: FiguresOf<NodePool> = ({ status }) => ({
  desired:
    status?.readyNodeNum === undefined ? undefined : status.readyNodeNum + (status.unreadyNodeNum ?? 0),
  available: status?.readyNodeNum,
  waitsFor: reasonUnlessTrue(status?.conditions),
});
