import { extendedDaemonSetStates as states, type ExtendedDaemonSet } from '@atoll/api';
import { reasonUnlessTrue, type FiguresOf, type ObjectFigures } from '../../definitions/object-figures.ts';

export const extendedDaemonSetFigures: FiguresOf<ExtendedDaemonSet> = ({ status }) => ({
  desired: status?.desired,
  updated: status?.upToDate,
  available: status?.available,
  waitsFor: reasonUnlessTrue(status?.conditions),
  canary: canaryOf(status?.state),
});

function canaryOf(state: string | undefined): ObjectFigures['canary'] {
  switch (state) {
    case states.canary:
      return 'active';
    case states.canaryPaused:
      return 'paused';
    case states.canaryFailed:
      return 'failed';
    default:
      return undefined;
  }
}
