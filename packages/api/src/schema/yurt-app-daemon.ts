import { yurtAppDaemons } from '../yurt-app-daemon.ts';
import { columnsForEveryKind, type KindDefinition } from './custom-resource-definition.ts';
import { poolWorkloadSpec, poolWorkloadStatus } from './pool-workload.ts';
import { poolWorkloadColumns } from './united-daemon-set.ts';

export const yurtAppDaemonKind: KindDefinition = {
  resource: yurtAppDaemons,
  shortNames: ['yad'],
  description: 'A Deployment or StatefulSet in every pool that a selector matches.',
  spec: poolWorkloadSpec,
  status: poolWorkloadStatus,
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [
        ...poolWorkloadColumns,
        {
          name: 'OverriderRef',
          type: 'string',
          jsonPath: '.status.overriderRef',
          description: 'Written by older releases of OpenYurt.',
        },
        ...columnsForEveryKind,
      ],
    },
  ],
};
