import { annotations } from '@atoll/api';
import { canonicalJson, isFields, type Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate } from '../child.ts';
import type { OldPods } from './keep-pods.ts';

const { keptPods, keptTemplate } = annotations;

/** The annotations of an object are at most 256 KiB together. */
const longestNote = 100_000;

/** Pods that stay as they were found. They are noted themselves, so that a later change of the child is known from what was found. */
export function notedPods(pods: PodTemplate, mark: string): OldPods {
  const text = canonicalJson(pods);
  const note = text.length > longestNote ? {} : { [keptTemplate]: text };
  return { pods, mark: { [keptPods]: mark, ...note } };
}

/** The pods that are noted on a child; undefined: none, or nothing of ours. */
export function podsNotedOn({ metadata }: Stored<ChildWorkload>): PodTemplate | undefined {
  try {
    const template: unknown = JSON.parse(metadata.annotations?.[keptTemplate] ?? '');
    return isFields(template) && isFields(template['spec']) ? template : undefined;
  } catch {
    return undefined;
  }
}
