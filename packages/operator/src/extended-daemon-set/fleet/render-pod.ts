import { asLabelValue, stableHash } from '@atoll/kube';
import type { NodeSelectorTerm, Pod, PodSpec, Stored, Toleration } from '@atoll/kube';
import { childName } from '../../children/names.ts';
import { isAffinityRefused } from '../../children/pods/placement/refused-placement.ts';
import { ownerReference } from '../../children/ownership/owner.ts';
import {
  extendedDaemonSetAnnotations,
  extendedDaemonSetLabels,
  extendedDaemonSetReplicaSets,
  type ExtendedDaemonSet,
  type ExtendedDaemonSetReplicaSet,
} from '@atoll/api';
import { noOverrides, withOverrides, type PodOverrides } from '../overrides/pod-overrides.ts';
import { daemonTolerations } from './nodes/daemon-tolerations.ts';

const annotations = extendedDaemonSetAnnotations;
const labels = extendedDaemonSetLabels;

export interface PodToMake {
  readonly object: Stored<ExtendedDaemonSet>;
  readonly replicaSet: Stored<ExtendedDaemonSetReplicaSet>;
  readonly node: string;
  readonly overrides: PodOverrides;
  readonly isCanary: boolean;
  /** How many pods failed there before it. */
  readonly failures: number;
}

/**
 * The pod of a node. Its name follows from object and node alone, so that no two processes make two of them, of whatever template
 * (F7). The scheduler binds it to its node, as it does for native DaemonSets.
 */
export function renderPod(of: PodToMake): Pod {
  const { object, replicaSet, node, overrides, isCanary, failures } = of;
  const { template } = replicaSet.spec;
  const { namespace = '', name } = replicaSet.metadata;
  const { setting, nodeHash, hash = noOverrides } = overrides;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: childName(object.metadata, node),
      namespace,
      labels: {
        ...ofUser(template.metadata?.labels),
        [labels.replicaSet]: name,
        [labels.name]: asLabelValue(object.metadata.name),
        ...(setting === undefined
          ? {}
          : {
              [labels.settingName]: asLabelValue(setting.metadata.name),
              [labels.settingNamespace]: namespace,
            }),
        ...(isCanary ? { [labels.canary]: 'true' } : {}),
      },
      annotations: {
        ...ofUser(template.metadata?.annotations),
        [annotations.templateHash]: templateHashOf(replicaSet),
        [annotations.autoscalerDaemonSetPod]: 'true',
        [annotations.overridesHash]: hash,
        ...(nodeHash === undefined ? {} : { [annotations.nodeHash]: nodeHash }),
        ...(failures === 0 ? {} : { [annotations.failedPods]: String(failures) }),
      },
      ownerReferences: [ownerReference({ resource: extendedDaemonSetReplicaSets, object: replicaSet })],
    },
    spec: specFor(template.spec ?? { containers: [] }, node, overrides),
  };
}

/** A template that was copied from a pod carries what was written on that one: its setting, its failures, that it was of a canary. */
const written: ReadonlySet<string> = new Set([
  labels.settingName,
  labels.settingNamespace,
  labels.canary,
  annotations.nodeHash,
  annotations.failedPods,
]);

function ofUser(found: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(found ?? {}).filter(([name]) => !written.has(name)));
}

/** What an old operator's tools compare on pods and replica sets; of a replica set of ours it is a hash of the meaning. */
function templateHashOf({ metadata, spec }: Stored<ExtendedDaemonSetReplicaSet>): string {
  return (
    spec.templateGeneration ?? metadata.annotations?.[annotations.templateHash] ?? stableHash(spec.template)
  );
}

function specFor(spec: PodSpec, node: string, overrides: PodOverrides): PodSpec {
  const containers = withOverrides(spec.containers, overrides.containers);
  const { initContainers } = spec;
  return {
    ...spec,
    containers,
    ...(initContainers === undefined
      ? {}
      : { initContainers: withOverrides(initContainers, overrides.initContainers) }),
    ...placedOn(spec, node),
  };
}

/**
 * Every required term names the node in place of any name of its own. Templates are not typed: terms that no API server takes stay as they are, as if
 * they were corrected here, the pod would be on nodes that nobody asked for; the API server refuses it with the field's path.
 */
export function placedOn(spec: PodSpec, node: string): Pick<PodSpec, 'affinity' | 'tolerations'> {
  const tolerations = spec.tolerations ?? [];
  return {
    affinity: affinityTo(node, spec.affinity) ?? {},
    tolerations: Array.isArray(tolerations) ? withDaemonTolerations(tolerations) : tolerations,
  };
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

function affinityTo(node: string, affinity: PodSpec['affinity']): PodSpec['affinity'] {
  if (isAffinityRefused(affinity)) return affinity;
  const nodeAffinity = affinity?.nodeAffinity;
  const given = nodeAffinity?.[required];
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const placed = (term: NodeSelectorTerm | null): NodeSelectorTerm => ({ ...term, matchFields });
  const nodeSelectorTerms = given?.nodeSelectorTerms.map(placed) ?? [{ matchFields }];
  return { ...affinity, nodeAffinity: { ...nodeAffinity, [required]: { ...given, nodeSelectorTerms } } };
}

function withDaemonTolerations(own: readonly (Toleration | null)[]): readonly Toleration[] {
  const missing = daemonTolerations.filter(
    ({ key, effect }) =>
      !own.some((each) => each?.key === key && each?.operator === 'Exists' && each?.effect === effect),
  );
  return [...own, ...missing] as readonly Toleration[];
}
