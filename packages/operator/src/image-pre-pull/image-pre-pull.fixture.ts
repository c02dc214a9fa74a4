import { daemonSetUpdate, labels } from '@atoll/api';
import type { Job, Pod, Stored } from '@atoll/kube';
import type { FoundContainer } from '../causes/found-pod.ts';
import { agent, now, podOn, revision } from '../daemon-set/daemon-set.fixture.ts';
import { nothingRefused } from '../engine/refused-trials.ts';
import type { PrePullSnapshot, Pull } from './observe.ts';
import { pullJobName } from './pull-job.ts';

export { now };

const { needUpgrade, imageReady } = daemonSetUpdate.podConditions;

/** An outdated pod on node n1 whose owner asks for the images of the revision `new`. */
export function asking(
  asked: Readonly<Record<string, string>> = {},
  offered: Readonly<Record<string, string>> = {},
  shape: Parameters<typeof podOn>[1] = {},
): Stored<Pod> {
  const pod = podOn('n1', shape);
  const message = 'controllerrevision: new';
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    name: 'agent',
    uid: 'uid-agent',
    controller: true,
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, ownerReferences: [owner] },
    status: {
      ...pod.status,
      conditions: [
        { type: needUpgrade, status: 'True', message, ...offered },
        { type: imageReady, status: 'False', message, lastTransitionTime: ago(30), ...asked },
      ],
    },
  };
}

export const ota = agent(
  { [daemonSetUpdate.annotations.updateStrategy]: 'OTA' },
  {
    template: {
      spec: {
        containers: [
          { name: 'agent', image: 'r.io/agent:2', imagePullPolicy: 'Always' },
          { name: 'side', image: 'r.io/side:2' },
          { name: 'again', image: 'r.io/side:2' },
        ],
        initContainers: [{ name: 'init', image: 'r.io/init:2' }],
        imagePullSecrets: [{ name: 'registry' }],
        serviceAccountName: 'puller',
        tolerations: [{ key: 'edge', operator: 'Exists' }],
      },
    },
  },
);

export function ago(seconds: number): string {
  return new Date(now - 1000 * seconds).toISOString().replace('.000Z', 'Z');
}

/** A Job of ours for the pod that asks, with one pod whose containers are in these states. */
export function pull({
  age = 10,
  conditions = [],
  containers,
  hash = 'new',
  ending = false,
}: {
  readonly age?: number;
  readonly conditions?: readonly {
    readonly type: string;
    readonly message?: string;
    readonly lastTransitionTime?: string;
  }[];
  readonly containers?: readonly FoundContainer[];
  readonly hash?: string;
  readonly ending?: boolean;
}): Pull {
  const name = pullJobName(asking(), hash);
  const found = conditions.map((each) => ({ status: 'True', ...each }));
  const metadata = { namespace: 'edge', resourceVersion: '1', creationTimestamp: ago(age) };
  const job: Stored<Job> = {
    metadata: {
      ...metadata,
      name,
      uid: `uid-${name}`,
      labels: { [labels.imagePrePull]: hash },
      ...(ending ? { deletionTimestamp: ago(1) } : {}),
    },
    status: { conditions: found },
  };
  const pods =
    containers === undefined
      ? []
      : [
          {
            metadata: { ...metadata, name: `${name}-x`, uid: 'uid-pull' },
            spec: { nodeName: 'n1', containers: [] },
            status: { phase: 'Pending', containerStatuses: containers },
          } as unknown as Stored<Pod>,
        ];
  return { job, pods };
}

export function snapshotOf(change: Partial<PrePullSnapshot> = {}): PrePullSnapshot {
  return {
    pod: asking(),
    certain: true,
    daemonSet: ota,
    history: [revision('old', 1), revision('new', 2)],
    pulls: [],
    refused: nothingRefused,
    ...change,
  };
}
