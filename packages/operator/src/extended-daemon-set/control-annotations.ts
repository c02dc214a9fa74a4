import { extendedDaemonSetAnnotations as annotations } from '@atoll/api';

/** By which people and tools steer an object. A plan is dropped when one of them changes (F8). */
export const controlAnnotations: readonly string[] = [
  annotations.canaryValid,
  annotations.canaryPaused,
  annotations.canaryUnpaused,
  annotations.rollingUpdatePaused,
  annotations.rolloutFrozen,
  annotations.oldDaemonSet,
  annotations.onCanaryFailure,
  annotations.canaryPromotion,
];
