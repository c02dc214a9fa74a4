import { hold, type Hold } from '../../engine/hold.ts';
import { blockedText } from './blocked-text.ts';
import type { Roles } from '../roles.ts';

/** What a canary waits for, or why it has failed, with the cause. */
export function canaryHolds({ canary, failed }: Roles): readonly Hold[] {
  if (canary === undefined) return [];
  const { replicaSet, verdict, promotion, targets } = canary;
  const name = `canary ${replicaSet.metadata.name}`;
  if (failed !== undefined) {
    const problem = `${name} has failed: ${failed.reason}, ${failed.message}`;
    return [hold('CanaryFailed', 'person', [], { problem }, true)];
  }
  if (verdict.is === 'paused') {
    const problem = `${name} is paused: ${verdict.reason}, ${verdict.message}`;
    return [hold('CanaryPaused', 'person', [], { problem }, verdict.by !== 'canary-paused')];
  }
  if (promotion.promote) return [];
  const { waitsFor, waitingUntil, targets: waiting = [], until } = promotion;
  const causes = targets.flatMap((each) => blockedText(each) ?? []);
  const waits = {
    ...hold('CanaryRunning', waitsFor, waiting, { waitingUntil: `${waitingUntil} (${name})` }, false),
    ...(until === undefined ? {} : { until }),
  };
  return [causes.length === 0 ? waits : { ...waits, problem: causes.sort().slice(0, 3).join('; ') }];
}
