import { scaleIntOrPercent, stableHash, type PodTemplateSpec, type Stored } from '@atoll/kube';
import type { AdvancedStatefulSet, CloneSet } from '@atoll/api';

/** What the simulated controllers do of either kind, in one form. */
export interface SimulatedWorkload {
  readonly name: string;
  readonly replicas: number;
  readonly template: PodTemplateSpec;
  /** How pods are called, and in which order they come, go and are updated. */
  readonly identity: 'random' | 'ordinal';
  /** Pods that stay on the old revision. */
  readonly partition: number;
  readonly maxUnavailable: number;
  /** `on-delete`: a pod that is deleted is replaced by one of the new revision. */
  readonly update: 'recreate' | 'in-place' | 'on-delete';
  /** One pod after the other, each once its predecessor is ready. */
  readonly ordered: boolean;
  readonly currentRevision: string | undefined;
  readonly updateRevision: string;
}

export function simulatedCloneSet({ metadata, spec, status }: Stored<CloneSet>): SimulatedWorkload {
  const { replicas = 1, template, updateStrategy: strategy = {} } = spec;
  return {
    name: metadata.name,
    replicas,
    template,
    identity: 'random',
    partition: scaleIntOrPercent(strategy.partition ?? 0, replicas, 'up'),
    maxUnavailable: scaleIntOrPercent(strategy.maxUnavailable ?? '20%', replicas, 'up'),
    update: updateBy(strategy.type),
    ordered: false,
    currentRevision: status?.currentRevision,
    updateRevision: revisionOf(metadata.name, template),
  };
}

export function simulatedStatefulSet({
  metadata,
  spec,
  status,
}: Stored<AdvancedStatefulSet>): SimulatedWorkload {
  const { replicas = 1, template, updateStrategy: strategy = {} } = spec;
  const rolling = strategy.rollingUpdate ?? {};
  return {
    name: metadata.name,
    replicas,
    template,
    identity: 'ordinal',
    partition: rolling.partition ?? 0,
    maxUnavailable: scaleIntOrPercent(rolling.maxUnavailable ?? 1, replicas, 'up'),
    update: strategy.type === 'OnDelete' ? 'on-delete' : updateBy(rolling.podUpdatePolicy),
    ordered: spec.podManagementPolicy !== 'Parallel',
    currentRevision: status?.currentRevision,
    updateRevision: revisionOf(metadata.name, template),
  };
}

function updateBy(policy: string | undefined): SimulatedWorkload['update'] {
  if (policy === 'OnDelete') return 'on-delete';
  return policy?.startsWith('InPlace') === true ? 'in-place' : 'recreate';
}

function revisionOf(name: string, template: PodTemplateSpec): string {
  return `${name}-${stableHash(template, 8)}`;
}
