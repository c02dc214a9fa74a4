import { extendedDaemonSetStates as states, type ExtendedDaemonSet } from '@atoll/api';
import { reasonUnlessTrue, type FiguresOf, type ObjectFigures } from '../../definitions/object-figures.ts';

const canaries: ReadonlyMap<string, ObjectFigures['canary']> = new Map([
  [states.canary, 'active'],
  [states.canaryPaused, 'paused'],
  [states.canaryFailed, 'failed'],
]);

export const extendedDaemonSetFigures: FiguresOf<ExtendedDaemonSet> = ({ status }) => ({
  desired: status?.desired,
  updated: status?.upToDate,
  available: status?.available,
  waitsFor: reasonUnlessTrue(status?.conditions),
  canary: canaries.get(status?.state ?? ''),
});
