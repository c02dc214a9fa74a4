import type { ApiError } from '@atoll/kube';
import { hold, joinHolds, type Hold } from '../hold.ts';

/** A target that stays as it is because of what the API server answered. */
export interface RefusedTarget {
  readonly id: string;
  readonly answer: ApiError;
}

/** One hold with what the API server answered. The event is that of the step. */
export function refusedHolds(reason: Hold['reason'], stay: readonly RefusedTarget[]): readonly Hold[] {
  const single = stay.map(({ id, answer: { message: problem } }) =>
    hold(reason, 'person', [id], { problem }, false),
  );
  return joinHolds(single).map((each) => ({ ...each, passing: true }));
}
