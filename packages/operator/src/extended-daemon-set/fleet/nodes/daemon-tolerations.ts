import type { Toleration } from '@atoll/kube';

/** What every pod tolerates besides its template: the old operator's six, and the pressure of process ids (BUG-25). */
export const daemonTolerations: readonly Toleration[] = (
  [
    ['not-ready', 'NoExecute'],
    ['unreachable', 'NoExecute'],
    ['disk-pressure', 'NoSchedule'],
    ['memory-pressure', 'NoSchedule'],
    ['pid-pressure', 'NoSchedule'],
    ['unschedulable', 'NoSchedule'],
    ['network-unavailable', 'NoSchedule'],
  ] as const
).map(([name, effect]) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect }));
