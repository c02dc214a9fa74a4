import { unitedDaemonSets } from '../united-daemon-set.ts';
import {
  columnsForEveryKind,
  type KindDefinition,
  type PrinterColumn,
} from './custom-resource-definition.ts';
import { poolWorkloadSpec, poolWorkloadStatus } from './pool-workload.ts';

export const poolWorkloadColumns: readonly PrinterColumn[] = [
  {
    name: 'WorkloadTemplate',
    type: 'string',
    jsonPath: '.status.templateType',
    description: 'The kind of workload that runs in every pool.',
  },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

export const unitedDaemonSetKind: KindDefinition = {
  resource: unitedDaemonSets,
  shortNames: ['udd'],
  description: 'A Deployment or StatefulSet in every pool that a selector matches.',
  spec: poolWorkloadSpec,
  status: poolWorkloadStatus,
  versions: [{ name: 'v1alpha1', storage: true, columns: [...poolWorkloadColumns, ...columnsForEveryKind] }],
};
