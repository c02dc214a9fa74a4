import type { ContainerStatus, Pod, Stored } from '@atoll/kube';
import { age } from '../output/age.ts';
import type { NodeReadiness } from './node-readiness.ts';
import type { Shown } from './showing.ts';

/** The table of pods. */
export function podTable(readyNodes: Pick<NodeReadiness, 'of'>, replicaSetLabel: string): Shown<Pod> {
  return {
    headings: [
      'Pod',
      'Ready',
      'Phase',
      'Reason',
      'Not ready containers',
      'Restarts',
      'Node',
      'Node Ready',
      'Age',
    ],
    wideHeadings: ['Pod IP', 'Replica set', 'Images'],
    row: (pod, now) => podRow(pod, readyNodes, now),
    wideRow: ({ metadata, spec, status }) => [
      status?.podIP ?? '<none>',
      metadata.labels?.[replicaSetLabel] ?? '<none>',
      (spec?.containers ?? []).map(({ image }) => image ?? '').join(', '),
    ],
  };
}

function podRow(pod: Stored<Pod>, readyNodes: Pick<NodeReadiness, 'of'>, now: number): readonly string[] {
  const statuses: readonly ContainerStatus[] = pod.status?.containerStatuses ?? [];
  const count = pod.spec?.containers.length ?? 0;
  const node = pod.spec?.nodeName ?? '';
  return [
    pod.metadata.name,
    `${statuses.filter((each) => each.ready).length}/${count}`,
    pod.status?.phase ?? '',
    whyNotReady(pod) ?? '',
    statuses
      .filter((each) => !each.ready)
      .map((each) => each.name)
      .join(', '),
    String(statuses.reduce((sum, { restartCount }) => sum + restartCount, 0)),
    node,
    String(readyNodes.of(node) ?? 'Unknown'),
    age(pod.metadata.creationTimestamp, now),
  ];
}

/** undefined: it runs and is Ready, and nobody has deleted it. */
export function whyNotReady({ metadata, status }: Pod): string | undefined {
  if (metadata?.deletionTimestamp !== undefined) return 'Terminating';
  if (status?.phase !== 'Running') return status?.reason ?? '';
  const condition = status.conditions?.find(({ type }) => type === 'Ready');
  return condition?.status === 'True' ? undefined : (condition?.reason ?? '');
}
