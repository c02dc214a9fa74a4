import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Instant, Stored } from '@atoll/kube';
import { turnAt } from '../../engine/rollout/deleted-in-turn.ts';
import type { Step } from '../../engine/step.ts';
import type { NodeTarget } from '../fleet/nodes/node-targets.ts';
import { variantOf } from '../overrides/pod-variant.ts';
import { batchOf } from '../rolling/batch.ts';
import type { Rolling } from '../rolling/decide-rolling.ts';
import { refusedInATurn } from '../rolling/refusals/refused-successors.ts';
import { deleteOutdated, tryPod, type PodTrial } from './pod-steps.ts';
import { recordBatch } from './replica-set-steps.ts';
import { restsOnOverrides, type KnownSettings } from './rests-on-overrides.ts';

/** The steps of a batch. Each deletion depends on the trial of its own variant, if there is one, and on the record. */
export interface BatchSteps {
  readonly tries: readonly Step[];
  /** Of pods that are tried one by one; so many that are refused in a row end them. */
  readonly triesAlone: { readonly steps: readonly Step[]; readonly endsAfter: number };
  readonly record: readonly Step[];
  readonly deletions: readonly Step[];
  /** Only what was refused before is deleted: the record depends on that. */
  readonly recordAfter: readonly Step[];
}

const nothingDeleted: BatchSteps = {
  tries: [],
  triesAlone: { steps: [], endsAfter: refusedInATurn },
  record: [],
  deletions: [],
  recordAfter: [],
};

interface BatchRules extends KnownSettings {
  readonly isCanary: boolean;
  readonly atMost: number;
  /** The replica set records when its pods are deleted. */
  readonly isRecorded: boolean;
  readonly replicaSets: readonly Stored<ExtendedDaemonSetReplicaSet>[];
}

/**
 * Deletes outdated pods, after what is to replace them was tried (decision 20). Those whose deletion was refused before are a batch only where one of them
 * is deleted: each try to delete them would be recorded.
 */
export function batchSteps(
  object: Stored<ExtendedDaemonSet>,
  rolling: Rolling | undefined,
  rules: BatchRules,
  now: Instant,
): BatchSteps {
  if (rolling === undefined) return nothingDeleted;
  const { isCanary, atMost, isRecorded, replicaSets } = rules;
  const { replicaSet, doubtful } = rolling;
  const again = new Set(rolling.deletedAgain);
  const all = [...rolling.deleted, ...again];
  const { deleted, tried, triedAlone } = batchOf({ ...rolling, deleted: all }, atMost, now);
  const turn = turnAt(now);
  const tryOn = (each: NodeTarget): PodTrial =>
    tryPod(object, each, replicaSet, isCanary, { turn, replicaSets });
  const trials = new Map([...tried].map(([variant, each]) => [variant, tryOn(each)]));
  const alone = new Map([...triedAlone].map((each) => [each, tryOn(each)]));
  const triesAgain = rolling.triedAgain.map(({ node }): Step => ({ ...tryOn(node), isRetry: true }));
  const trialFor = (each: NodeTarget): PodTrial | undefined =>
    alone.get(each) ?? trials.get(variantOf(each.overrides));
  const batch = deleted.filter((each) => !again.has(each));
  const triedFirst = new Set(batch.flatMap((each) => trialFor(each)?.object.metadata.name ?? []));
  const isAllTried = batch.every((each) => trialFor(each) !== undefined);
  const record =
    isRecorded && batch.length > 0 ? [recordBatch(replicaSet, isAllTried ? [...triedFirst] : [], now)] : [];
  const retried = deleted.flatMap((each) => (again.has(each) ? (each.pods.kept?.metadata.uid ?? []) : []));
  const isAlone = isRecorded && batch.length === 0 && retried.length > 0;
  return {
    tries: [...trials.values(), ...triesAgain],
    triesAlone: {
      steps: [...alone.values()],
      endsAfter: Math.max(
        1,
        ...[...triedAlone].map(({ overrides }) => doubtful.get(variantOf(overrides)) ?? refusedInATurn),
      ),
    },
    record,
    deletions: deleted.flatMap((each) => {
      const trial = trialFor(each);
      const after = [
        ...(trial === undefined ? [] : [trial.object.metadata.name]),
        ...record.map(() => replicaSet.metadata.uid),
      ];
      return deleteOutdated(
        object,
        each,
        replicaSet,
        after,
        again.has(each),
        restsOnOverrides(object, each, rules),
      );
    }),
    recordAfter: isAlone ? [recordBatch(replicaSet, retried, now)] : [],
  };
}
