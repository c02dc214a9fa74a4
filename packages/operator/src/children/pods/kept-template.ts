import { annotations } from '@atoll/api';
import {
  canonicalJson,
  containsWanted,
  isFields,
  mergeIdentityOf,
  type Fields,
  type Stored,
} from '@atoll/kube';
import type { ChildWorkload, PodTemplate } from '../child.ts';
import { havePodsFieldsOfOthers } from '../ownership/field-owners.ts';
import { parseJson } from '../parse-json.ts';
import { inLiveForm, type OldPods } from './keep-pods.ts';

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
  const template = parseJson(metadata.annotations?.[keptTemplate]);
  return isFields(template) && isFields(template['spec']) ? template : undefined;
}

/**
 * The noted pods, or those that the child has where these differ only in what its template does not ask for, and others own fields of them: another controller, or
 * `kubectl rollout restart`, changes its own field, which nobody would put back in a child that is not kept. To put it back would restart the pods, and without end where
 * the controller sets it again.
 */
export function unlessOthersChanged(
  noted: PodTemplate,
  own: PodTemplate,
  wanted: PodTemplate,
  live: Stored<ChildWorkload>,
): PodTemplate {
  const holds = (pods: PodTemplate): boolean => containsWanted(own, inLiveForm(pods, own));
  return !holds(noted) && havePodsFieldsOfOthers(live) && holds(within(noted, wanted)) ? own : noted;
}

/** What is noted of what is wanted. */
function within(noted: object, wanted: object): Fields {
  const asked = new Map(Object.entries(wanted));
  return Object.fromEntries(
    Object.entries(noted)
      .filter(([name]) => asked.has(name))
      .map(([name, value]: [string, unknown]) => [name, valueWithin(name, value, asked.get(name))]),
  );
}

const fieldsWithFields = new Set([
  'metadata',
  'labels',
  'annotations',
  'spec',
  'nodeSelector',
  'securityContext',
  'resources',
  'limits',
  'requests',
]);
const containerLists = new Set(['containers', 'initContainers']);

function valueWithin(name: string, noted: unknown, wanted: unknown): unknown {
  if (fieldsWithFields.has(name) && isFields(noted) && isFields(wanted)) return within(noted, wanted);
  if (!Array.isArray(noted) || !Array.isArray(wanted)) return noted;
  if (mergeIdentityOf(name, {}) === undefined) return noted;
  const asked = new Map(wanted.filter(isFields).map((each) => [mergeIdentityOf(name, each), each]));
  return noted.filter(isFields).flatMap((each) => {
    const given = asked.get(mergeIdentityOf(name, each));
    if (given === undefined) return [];
    return [containerLists.has(name) ? within(each, given) : each];
  });
}
