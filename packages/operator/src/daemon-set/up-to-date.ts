import { daemonSetUpdate, type ReasonWord } from '@atoll/api';
import { isAtWanted } from '../engine/rollout/target.ts';
import type { Statement } from '../engine/status/conditions.ts';
import type { Upgrade } from './decide.ts';

const { upToDate } = daemonSetUpdate.daemonSetConditions;

/** Why something is not done, in a word and a sentence. */
export interface Said {
  readonly reason: ReasonWord;
  readonly message: string;
}

/** Whether each node runs the latest template that is known, and its pod is available. */
export function isDone({ target }: Upgrade['nodes'][number]): boolean {
  return isAtWanted(target) && target.health === 'healthy';
}

/** Whether all nodes run the current template, or how many do, and what they wait for. */
export function upToDateStatement({ nodes, tainted, latest }: Upgrade, waits: Said | undefined): Statement {
  const done = nodes.filter(isDone).length;
  const count = nodes.length + tainted.length;
  const isAll = done === count;
  if (isAll && (count === 0 || latest?.isCertain === true)) {
    const message =
      count === 0
        ? 'no node is to run a pod'
        : `all ${count} nodes run the current template and their pods are available`;
    return { type: upToDate, status: 'True', reason: 'RolloutComplete', message };
  }
  const progress = isAll
    ? `all ${count} nodes run the newest template that is known, and their pods are available`
    : `${done} of ${count} nodes run the current template and their pods are available`;
  const message = waits === undefined ? progress : `${progress}; ${waits.message}`;
  return {
    type: upToDate,
    status: isAll ? 'Unknown' : 'False',
    reason: waits?.reason ?? 'RollingOut',
    message,
  };
}
