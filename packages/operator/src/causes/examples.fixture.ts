import { causesOf } from './causes-of.ts';
import type { CauseWord } from './cause.ts';
import type { FoundEvent } from './explained-by-events.ts';
import type { Finding } from './finding.ts';
import type { FoundPod } from './found-pod.ts';
import { ago, ended, now, pod, running, waiting, warning } from './pods.fixture.ts';

/** One pod, or none that could be created, for each cause of the catalogue; what keeps a pod from being seen is none of its own status. */
const examples: Readonly<
  Record<Exclude<CauseWord, 'PodNotSeen'>, readonly [pod: FoundPod | undefined, ...events: FoundEvent[]]>
> = {
  ImagePullBackOff: [
    pod({ containers: [waiting('ErrImagePull', 'failed to resolve reference "r.io/app:v2": not found')] }),
  ],
  CrashLoopBackOff: [
    pod({
      containers: [waiting('CrashLoopBackOff', '', { restartCount: 12, lastState: ended(137, 'OOMKilled') })],
    }),
  ],
  CreateContainerConfigError: [
    pod({ containers: [waiting('CreateContainerConfigError', 'configmap "settings" not found')] }),
  ],
  CreateContainerError: [
    pod({ containers: [waiting('RunContainerError', 'exec: "serve": executable file not found in $PATH')] }),
  ],
  PodsUnschedulable: [
    pod({
      spec: { nodeName: '' },
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes are available: 3 Insufficient cpu.',
        },
      ],
    }),
  ],
  SchedulingGated: [pod({ spec: { nodeName: '', schedulingGates: [{ name: 'quota.io/wait' }] } })],
  FailedMount: [
    pod({ containers: [waiting('ContainerCreating')] }),
    warning(
      'uid-web-0',
      'FailedMount',
      'MountVolume.SetUp failed for volume "keys" : secret "keys" not found',
    ),
  ],
  FailedCreatePodSandBox: [
    pod({ containers: [waiting('ContainerCreating')] }),
    warning('uid-web-0', 'FailedCreatePodSandBox', 'plugin type="bridge" failed: no address left'),
  ],
  ContainerCreating: [pod({ containers: [waiting('ContainerCreating')] })],
  PodInitializing: [
    pod({
      status: {
        phase: 'Pending',
        containerStatuses: [waiting('PodInitializing')],
        initContainerStatuses: [{ ...running(40), name: 'migrate' }],
      },
    }),
  ],
  ProbeFailed: [
    pod({ containers: [running(40)] }),
    warning('uid-web-0', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503'),
  ],
  ContainersNotReady: [pod({ containers: [running(40)] })],
  ReadinessGatesNotReady: [
    pod({
      spec: { nodeName: 'n1', readinessGates: [{ conditionType: 'lb.io/attached' }] },
      containers: [{ ...running(50), ready: true }],
    }),
  ],
  NodeNotReady: [pod({ containers: [{ ...running(500), ready: true }] })],
  PodTerminating: [pod({ metadata: { deletionTimestamp: ago(40) } })],
  PodFailed: [
    pod({ status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' } }),
  ],
  QuotaExceeded: [
    undefined,
    warning(
      'uid-web',
      'FailedCreate',
      'create Pod web-0 in StatefulSet web failed error: exceeded quota: small',
    ),
  ],
  PodSecurityViolation: [
    undefined,
    warning(
      'uid-web',
      'FailedCreate',
      'create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "app" must set securityContext.allowPrivilegeEscalation=false)',
    ),
  ],
  FailedCreate: [
    undefined,
    warning('uid-web', 'FailedCreate', 'create Pod web-0 in StatefulSet web failed error: denied by policy'),
  ],
};

/** What is found in each of them. */
export function exampleFindings(): readonly Finding[] {
  return Object.values(examples).map(([found, ...events]) => {
    const pods = found === undefined ? [] : [found];
    const finding = causesOf({ uid: 'uid-web', wanted: 1, conditions: [], pods }, events, now);
    if (finding === undefined) throw new Error(`no cause: ${JSON.stringify(found)}`);
    return finding;
  });
}
