import { annotations } from '@atoll/api';
import { canonicalJson, isFields, type Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate } from '../child.ts';
import type { OldPods } from './keep-pods.ts';

const { keptPods, keptTemplate } = annotations;

/** In bytes. */
const longestNote = 100_000;
/** The API server takes 256 KiB of annotations. What is left is for ours, and for the template's that the child does not have yet. */
const mostWithNote = 200_000;

/** Pods that stay as they were found. They are noted themselves, so that a later change of the child is known from what was found. */
export function notedPods(pods: PodTemplate, mark: string, { metadata }: Stored<ChildWorkload>): OldPods {
  const text = canonicalJson(pods);
  const { [keptTemplate]: _, ...others } = metadata.annotations ?? {};
  const room = mostWithNote - Buffer.byteLength(Object.entries(others).flat().join(''));
  const note = Buffer.byteLength(text) > Math.min(longestNote, room) ? {} : { [keptTemplate]: text };
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
