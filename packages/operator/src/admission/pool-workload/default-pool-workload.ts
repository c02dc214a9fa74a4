import { isFields } from '@atoll/kube';
import type { PoolWorkload } from '@atoll/api';

/**
 * Fills in what the schema cannot, because it depends on another field: the template's selector is the workload's own,
 * as the old operator's clients expect to read it. A selector that is given stays, and is not looked at. Defaults of
 * pods are the API server's, who fills them into the children: the old operator's own (`imagePullPolicy: Always`) were
 * not those of Kubernetes, and written into the template they would only hide what the user wrote.
 */
export function defaultPoolWorkload(workload: PoolWorkload): PoolWorkload {
  // The schema is checked after this, so nothing is certain of what is there.
  const { selector, workloadTemplate } = workload.spec as Partial<PoolWorkload['spec']>;
  if (selector === undefined || !isFields(workloadTemplate)) return workload;
  const filled = Object.entries(workloadTemplate).map(([member, template]) => {
    const spec: unknown = isFields(template) ? template['spec'] : undefined;
    if (!isFields(template) || !isFields(spec) || spec['selector'] !== undefined) return [member, template];
    return [member, { ...template, spec: { ...spec, selector } }];
  });
  return { ...workload, spec: { ...workload.spec, workloadTemplate: Object.fromEntries(filled) } };
}
