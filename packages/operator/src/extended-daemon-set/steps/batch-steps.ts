import type { ExtendedDaemonSet } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import type { Step } from '../../engine/step.ts';
import { variantOf } from '../overrides/pod-variant.ts';
import { batchOf, triedAgain } from '../rolling/batch.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import { deleteOutdated, tryPod } from './pod-steps.ts';
import { recordBatch } from './replica-set-steps.ts';

/** The steps of a batch. Each deletion depends on the trial of its own variant, if there is one, and on the record. */
export interface BatchSteps {
  readonly tries: readonly Step[];
  readonly record: readonly Step[];
  readonly deletions: readonly Step[];
}

interface BatchRules {
  readonly isCanary: boolean;
  readonly atMost: number;
  /** The replica set records when its pods are deleted. */
  readonly isRecorded: boolean;
}

/** Deletes outdated pods, after what is to replace them was tried (decision 20). */
export function batchSteps(
  object: Stored<ExtendedDaemonSet>,
  rolling: Rolling | undefined,
  { isCanary, atMost, isRecorded }: BatchRules,
  now: Instant,
): BatchSteps {
  if (rolling === undefined) return { tries: [], record: [], deletions: [] };
  const { replicaSet } = rolling;
  const { deleted, tried } = batchOf(rolling, atMost, now);
  const trials = new Map(
    [...tried].map(([variant, each]) => [variant, tryPod(object, each, replicaSet, isCanary)]),
  );
  const again = triedAgain(rolling).map((each): Step => {
    return { ...tryPod(object, each, replicaSet, isCanary), isRetry: true };
  });
  const all = [...trials.values()].map((trial) => trial.object.metadata.name);
  const isAllTried = deleted.every(({ overrides }) => trials.has(variantOf(overrides)));
  const record =
    isRecorded && deleted.length > 0 ? [recordBatch(replicaSet, isAllTried ? all : [], now)] : [];
  return {
    tries: [...trials.values(), ...again],
    record,
    deletions: deleted.flatMap((each) => {
      const trial = trials.get(variantOf(each.overrides));
      const after = [
        ...(trial === undefined ? [] : [trial.object.metadata.name]),
        ...record.map(() => replicaSet.metadata.uid),
      ];
      return deleteOutdated(each, replicaSet, after);
    }),
  };
}
