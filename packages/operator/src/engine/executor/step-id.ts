import { formatKey, groupResourceOf } from '@atoll/kube';
import type { RequestClass } from './requests/in-flight.ts';
import { targetOf } from './requests/request.ts';
import type { WriteStep } from './requests/request.ts';
import type { Step } from '../step.ts';

/** Names what a step does to which object; the same in each reconcile. */
export function stepId(step: Step): string {
  if (step.do === 'event') return `event ${step.event.reason} ${step.event.regarding.name}`;
  const { resource, key } = targetOf(step);
  return `${step.do} ${groupResourceOf(resource)} ${formatKey(key)}`;
}

export function requestClassOf(step: WriteStep): RequestClass {
  const { resource, key } = targetOf(step);
  const subresource = 'subresource' in step ? `/${step.subresource}` : '';
  return { resource: `${groupResourceOf(resource)}${subresource}`, namespace: key.namespace };
}
