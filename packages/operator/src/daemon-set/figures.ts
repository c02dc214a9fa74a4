import { daemonSetUpdate } from '@atoll/api';
import type { DaemonSet } from '@atoll/kube';
import { reasonUnlessTrue, type FiguresOf } from '../definitions/object-figures.ts';
import { isManaged } from './is-managed.ts';

export const daemonSetFigures: FiguresOf<DaemonSet> = (object) => {
  if (!isManaged(object)) return undefined;
  const { status } = object;
  return {
    desired: status?.desiredNumberScheduled,
    updated: status?.updatedNumberScheduled ?? (status === undefined ? undefined : 0),
    available: status?.numberAvailable ?? (status === undefined ? undefined : 0),
    waitsFor: reasonUnlessTrue(status?.conditions, daemonSetUpdate.daemonSetConditions.upToDate),
  };
};
