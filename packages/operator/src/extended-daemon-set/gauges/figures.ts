import { extendedDaemonSetStates as states, type ExtendedDaemonSet } from '@atoll/api';
import { reasonUnlessTrue, type FiguresOf, type ObjectFigures } from '../../definitions/object-figures.ts';

const canaries: Readonly<Record<string, NonNullable<ObjectFigures['canary']>>> = {
  [states.canary]: 'active',
  [states.canaryPaused]: 'paused',
  [states.canaryFailed]: 'failed',
};

export const extendedDaemonSetFigures: FiguresOf<ExtendedDaemonSet> = ({ status }) => ({
  desired: status?.desired,
  updated: status?.upToDate,
  available: status?.available,
  waitsFor: reasonUnlessTrue(status?.conditions),
  canary: canaries[status?.state ?? ''],
});
