import { extendedDaemonSetAnnotations as annotations } from '@atoll/api';
import { hold, type Hold } from '../../engine/hold.ts';
import { blockedText } from './blocked-text.ts';
import type { Roles } from '../roles.ts';

/** What a canary waits for, or why it has failed, with the cause. */
export function canaryHolds({ canary, failed, stopped }: Roles, lost = ''): readonly Hold[] {
  if (stopped !== undefined) {
    const { replicaSet, is } = stopped;
    const { name } = replicaSet.metadata;
    const how = is === 'failed' ? 'has failed' : 'is paused';
    const problem =
      `the active replica set ${lost} is gone, and ${name}, of the template in the spec, ${how} as canary, so no pod is made or deleted. ` +
      `Change the template, or set the annotation ${annotations.canaryValid}=${name}`;
    return [hold(is === 'failed' ? 'CanaryFailed' : 'CanaryPaused', 'person', [], { problem }, true)];
  }
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
