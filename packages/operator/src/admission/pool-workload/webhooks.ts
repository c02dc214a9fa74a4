import { annotations, type PoolWorkload } from '@atoll/api';
import type { Resource } from '@atoll/kube';
import { onByTrue } from '../annotation-warnings.ts';
import { defaulted, type KindWebhooks } from '../kind-webhooks.ts';
import { defaultPoolWorkload } from './default-pool-workload.ts';
import { validatePoolWorkload } from './validate-pool-workload.ts';

export function poolWorkloadWebhooks(resource: Resource<PoolWorkload>): KindWebhooks {
  const lacksSelector = ['deploymentTemplate', 'statefulSetTemplate'].map((member) => {
    const spec = `object.?spec.?workloadTemplate.?${member}.?spec`;
    return `(${spec}.hasValue() && !${spec}.?selector.hasValue())`;
  });
  return {
    reads: ['nodePools', 'deployments', 'statefulSets'],
    defaults: {
      lacks: [{ name: 'lacks-a-selector', expression: lacksSelector.join(' || ') }],
      mutate: () => async (request) => defaulted<PoolWorkload>(request, defaultPoolWorkload),
    },
    annotations: [onByTrue(annotations.applyTemplate), onByTrue(annotations.discardOverrides)],
    validate: (context) => async (request) => validatePoolWorkload({ ...context, resource }, request),
  };
}
