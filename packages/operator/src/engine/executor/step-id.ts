import { formatKey, groupResourceOf } from '@atoll/kube';
import { targetOf } from './request.ts';
import type { WriteStep } from './request.ts';
import type { Step } from '../step.ts';

/** Names what a step does to which object; the same in each reconcile. */
export function stepId(step: Step): string {
  if (step.do === 'event') return `event ${step.event.reason} ${step.event.regarding.name}`;
  const { resource, key } = targetOf(step);
  return `${step.do} ${groupResourceOf(resource)} ${formatKey(key)}`;
}

/** What is slow together: a webhook is asked about the objects of one resource, and mostly of some namespaces. */
export function requestKindOf(step: WriteStep): string {
  const { resource, key } = targetOf(step);
  const subresource = 'subresource' in step ? step.subresource : undefined;
  return [groupResourceOf(resource), subresource, key.namespace]
    .filter((part) => part !== undefined)
    .join(' ');
}
