import { ownField } from '@atoll/kube';

/** How many pods of each subset stay at the old revision. */
export interface Partitions {
  /** For every subset of the spec, at most what it is to have. */
  readonly values: Readonly<Record<string, number>>;
  /** The same, at most what its child is asked for now where that is more: for a child that shrinks in several writes. */
  readonly whileShrinking: Readonly<Record<string, number>>;
  /** What cannot be a partition, for people; in the order of the spec. */
  readonly refused: readonly RefusedPartition[];
}

export interface RefusedPartition {
  readonly subset: string;
  readonly message: string;
}

export interface PartitionsInput {
  /** `spec.updateStrategy.type`; left out or empty means `Manual`. Any other type holds nothing back. */
  readonly type: string | undefined;
  /** `spec.updateStrategy.manualUpdate.partitions`. */
  readonly wanted: Readonly<Record<string, number>> | undefined;
  /** What each subset of the spec is to have, by name. */
  readonly replicas: Readonly<Record<string, number>>;
  /** What each child is asked for now, by name; a subset without a child has no entry. Absent: no more than that. */
  readonly asked?: Readonly<Record<string, number>>;
  /** The partition that each child has now; a subset without a child has no entry. */
  readonly present: Readonly<Record<string, number>>;
}

/**
 * A partition larger than the subset is lowered to it, so that it comes back when the subset grows again. A negative
 * one is refused and the child keeps the one that it has: 0 instead would update pods that nobody released.
 */
export function partitionsOf({ type, wanted, replicas, asked, present }: PartitionsInput): Partitions {
  const manual = type === undefined || type === '' || type === 'Manual';
  const refused: RefusedPartition[] = [];
  const values: [string, number][] = [];
  const whileShrinking: [string, number][] = [];
  for (const [subset, allocated] of Object.entries(replicas)) {
    let partition = manual ? numberOf(subset, wanted) : 0;
    if (!Number.isSafeInteger(partition) || partition < 0) {
      refused.push({ subset, message: refusal(subset, partition) });
      partition = Math.max(0, numberOf(subset, present));
    }
    values.push([subset, Math.min(partition, allocated)]);
    whileShrinking.push([subset, Math.min(partition, Math.max(allocated, numberOf(subset, asked)))]);
  }
  return {
    values: Object.fromEntries(values),
    whileShrinking: Object.fromEntries(whileShrinking),
    refused,
  };
}

function refusal(subset: string, partition: unknown): string {
  const field = `spec.updateStrategy.manualUpdate.partitions[${subset}]`;
  return `${field}: ${String(partition)} is not a number of pods: it must be 0 or more`;
}

function numberOf(subset: string, record: Readonly<Record<string, number>> = {}): number {
  return ownField(record, subset) ?? 0;
}
