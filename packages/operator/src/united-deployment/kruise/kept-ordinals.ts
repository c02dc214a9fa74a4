import { annotations } from '@atoll/api';
import {
  fieldsOf,
  isFields,
  semanticallyEqual,
  canonicalJson,
  type Fields,
  type Pod,
  type Stored,
} from '@atoll/kube';
import { scaleStrategy, withoutPodsToDelete } from '../../children/carried-out.ts';
import type { ChildWorkload, RenderedChild } from '../../children/child.ts';
import { isChildLeftByOldOperator } from '../../children/ownership/field-owners.ts';
import { parseJson } from '../../children/parse-json.ts';
import { differencesBetween, inBrief } from '../../children/pods/differences.ts';
import { isTemplateToBeApplied } from '../../children/revisions/old-defaults.ts';
import type { Revision } from '../../children/revisions/revision.ts';
import { toTemplateField } from '../../engine/problems/template-field.ts';
import { kindFacts } from '../subsets/child-kind.ts';
import type { RenderInput } from '../rendering/render-child.ts';
import { templateField } from '../template.ts';

/*
 * Which ordinals the pods of a StatefulSet have decides which pods there are. Kruise gave these fields to no child before 1.8, and every release of it leaves
 * them as a person changed them in a child. To make up for that as the operator is exchanged would delete pods and make others, with other volumes. So they stay
 * as they were found until the template has other ones; another image does not end it.
 *
 * What was found is noted beside what was not applied, so that a later change of the child is put back as that of any other field.
 *
 * So it is with `scaleStrategy.podsToDelete` of a CloneSet: pods that its template has named for long would be deleted. What the child names itself is no state but
 * is being carried out, and its controller takes it out then; it is never applied. Nothing is shown where none of them is there: a list that was carried out may stay in the template for ever.
 */

/** What is noted on a child, as JSON. Each has what is set of the fields. */
interface Note {
  /** What is not applied. */
  readonly template: Fields;
  /** What the child had instead. */
  readonly child: Fields;
}

const names = ['ordinals', 'reserveOrdinals'] as const;

/** The rendered child with the ordinals that stay as they were found, and with the note of that; as it is where none do. */
export function withKeptOrdinals(
  input: RenderInput,
  rendered: RenderedChild,
  live: Stored<ChildWorkload>,
): RenderedChild {
  const note = noteFor(input, live);
  if (note === undefined) return rendered;
  const { metadata } = rendered;
  const { ordinals: _, reserveOrdinals: __, template, ...spec } = withoutPodsToDelete(rendered.spec);
  return {
    ...rendered,
    metadata: {
      ...metadata,
      annotations: { ...metadata.annotations, [annotations.keptOrdinals]: canonicalJson(note) },
    },
    spec: { ...spec, ...note.child, template },
  };
}

/** Which ordinals a child has instead of those of its template, for people; undefined: none others, or only pods are named of which none is there. */
export function keptOrdinalsDifference(
  { owner, revision: { template } }: Pick<RenderInput, 'owner' | 'revision'>,
  live: Stored<ChildWorkload>,
  pods: readonly Stored<Pod>[],
): string | undefined {
  const noted = noteOn(live);
  const wanted = ordinalsIn(template.spec);
  const found = ordinalsIn(live.spec);
  if (noted === undefined || isTemplateToBeApplied(owner.object)) return undefined;
  if (!semanticallyEqual(noted.template, wanted) || semanticallyEqual(found, wanted)) return undefined;
  if (namesNone(wanted, live, pods)) return undefined;
  const field = toTemplateField('spec', templateField(template.kind));
  return inBrief(differencesBetween(found, wanted, field));
}

/** To apply what is wanted would delete nothing: it only names pods, and all that the child counts are seen, and are others. */
function namesNone(
  { [scaleStrategy]: named, ...ordinals }: Fields,
  { status }: Stored<ChildWorkload>,
  pods: readonly Stored<Pod>[],
): boolean {
  const { podsToDelete } = fieldsOf(named);
  if (!Array.isArray(podsToDelete) || Object.keys(ordinals).length > 0) return false;
  if (status === undefined || pods.length < (status.replicas ?? 0)) return false;
  return !pods.some(({ metadata }) => podsToDelete.includes(metadata.name));
}

function noteFor(
  { owner, revision: { template }, asksForOtherOrdinals }: RenderInput,
  live: Stored<ChildWorkload>,
): Note | undefined {
  const { kind } = template;
  const wanted = ordinalsIn(template.spec);
  if (!(kindFacts[kind].ordinal || kind === 'CloneSet') || isTemplateToBeApplied(owner.object))
    return undefined;
  const found = ordinalsIn(live.spec);
  if (Object.keys(wanted).length === 0 || semanticallyEqual(found, wanted)) return undefined;
  const { [scaleStrategy]: _carriedOut, ...ordinals } = found;
  const note = { template: wanted, child: ordinals };
  if (isChildLeftByOldOperator(kind, live)) return asksForOtherOrdinals ? undefined : note;
  const noted = noteOn(live);
  return noted !== undefined && semanticallyEqual(noted.template, wanted) ? noted : undefined;
}

export function haveSameOrdinals(a: Revision, b: Revision): boolean {
  return a === b || semanticallyEqual(ordinalsIn(a.template.spec), ordinalsIn(b.template.spec));
}

/** What of a spec decides which pods there are, without what means nothing. */
function ordinalsIn(spec: object | undefined): Fields {
  const given = fieldsOf(spec);
  const { podsToDelete } = fieldsOf(given[scaleStrategy]);
  const isNaming = Array.isArray(podsToDelete) && podsToDelete.length > 0;
  return {
    ...Object.fromEntries(
      names.flatMap((name) => (saysNothing(given[name]) ? [] : [[name, given[name]] as const])),
    ),
    ...(isNaming ? { [scaleStrategy]: { podsToDelete } } : {}),
  };
}

/** No field, an empty one, and the first ordinal 0 are the same. */
function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isFields(value) || (value['start'] ?? 0) === 0;
}

/** undefined, too, where it is no note of ours. */
function noteOn({ metadata }: Stored<ChildWorkload>): Note | undefined {
  const note = parseJson(metadata.annotations?.[annotations.keptOrdinals]);
  if (!isFields(note) || !isFields(note['template']) || !isFields(note['child'])) return undefined;
  return { template: note['template'], child: ordinalsIn(note['child']) };
}
