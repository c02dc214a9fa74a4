import { annotations, labels } from '@atoll/api';
import { containsWanted, type Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../../children/child.ts';
import { isChildLeftByOldOperator } from '../../children/ownership/field-owners.ts';
import { differencesBetween, inBrief } from '../../children/pods/differences.ts';
import { inLiveForm, podsHash, withoutLabel, type OldPods } from '../../children/pods/keep-pods.ts';
import { notedPods, podsNotedOn, unlessOthersChanged } from '../../children/pods/kept-template.ts';
import { plainPodMeaning } from '../../children/pods/pod-meaning.ts';
import { isTemplateToBeApplied } from '../../children/revisions/old-defaults.ts';
import { toTemplateField } from '../../engine/problems/template-field.ts';
import { withoutMatchFields } from '../rendering/place-in-subset.ts';
import { meansTheSame, type RenderInput } from '../rendering/render-child.ts';
import { renderPods } from '../rendering/render-pods.ts';
import { templateField } from '../template.ts';

const { keptPods, oldRendering, subsetPatch } = annotations;

/*
 * What runs at a take-over stays until a person edits the template. Kruise compares of a child its revision label, its replicas, its partition
 * and its patch, and leaves all else as a person changed it, as with `kubectl set image`; and it brings no other placement of a subset to a child
 * that is there. Nobody has asked for these differences to be made up for at the moment in which the operator is exchanged.
 *
 * That a child is kept so is written on it, with the pods that were not applied: other ones end it. So are those that stay: what differs from them later is
 * put back, as in any other child.
 *
 * A field that only the child has may be in the entry that becomes ours, as what a webhook filled in when Kruise made the child: an apply without it would
 * take it out. Which fields are whose is not in the caches, so all are applied, those of others too. Of these nothing is put back later: what the template does
 * not ask for stays as others change it or take it out, as in a child that is not kept.
 */

/** The pods as they were found, where they stay so; undefined: they become as in the template. */
export function keptPodsOf(
  input: RenderInput,
  { spec: { template: wanted } }: RenderedChild,
  live: Stored<ChildWorkload>,
): OldPods | undefined {
  const found = live.spec?.template;
  if (found === undefined || isTemplateToBeApplied(input.owner.object)) return undefined;
  const noted = live.metadata.annotations?.[keptPods];
  const isLeft = isChildLeftByOldOperator(input.revision.template.kind, live);
  if (!isLeft && noted === undefined) return undefined;
  const own = withoutLabel(found, labels.subsetRevision);
  if (podsHash(own) === podsHash(wanted)) return undefined;
  const mark = podsHash(wanted, noted);
  if (isLeft) return isUpToDateForKruise(input, live) ? notedPods(own, mark, live) : undefined;
  if (noted !== mark) return undefined;
  const stored = podsNotedOn(live);
  const stays = stored === undefined || holdsAll(found, wanted);
  return notedPods(stays ? own : unlessOthersChanged(stored, own, wanted, live), mark, live);
}

/** Where a child that is kept as it was found differs from its template, for people; undefined: the child is not kept so. */
export function keptDifference(
  { owner, revision: { template }, subset }: Pick<RenderInput, 'owner' | 'revision' | 'subset'>,
  live: Stored<ChildWorkload>,
): string | undefined {
  const { [keptPods]: noted, [oldRendering]: placedByKruise } = live.metadata.annotations ?? {};
  const found = live.spec?.template;
  if (noted === undefined || found === undefined || isTemplateToBeApplied(owner.object)) return undefined;
  const rendered = renderPods(template, subset);
  // That its pods have no `matchFields` is reported by itself.
  const placed = placedByKruise === undefined ? rendered : renderPods(template, withoutMatchFields(subset));
  if (!rendered.ok || !placed.ok || noted !== podsHash(rendered.pods, noted)) return undefined;
  const { pods: wanted } = placed;
  if (hasAll(found, wanted)) return undefined;
  const field = toTemplateField('spec.template', templateField(template.kind));
  const [is, should] = [withoutLabel(found, labels.subsetRevision), wanted].map(plainPodMeaning);
  const differences = differencesBetween(is, should, field);
  return differences.length === 0
    ? `${field} has a list in another order than the child`
    : inBrief(differences);
}

/** Whether live pods have all that is wanted, in whatever form. Others may have added to them. */
function hasAll(found: PodTemplate, wanted: PodTemplate): boolean {
  return holdsAll(found, wanted) || podsHash(withoutLabel(found, labels.subsetRevision)) === podsHash(wanted);
}

function holdsAll(found: PodTemplate, wanted: PodTemplate): boolean {
  return containsWanted(found, inLiveForm(wanted, found));
}

/** Whether Kruise would leave the child as it is; one that it has not brought to its last template yet, or to a patch, is brought there. */
function isUpToDateForKruise(
  { revision, subset }: RenderInput,
  { metadata }: Stored<ChildWorkload>,
): boolean {
  const text = metadata.annotations?.[subsetPatch] ?? '';
  const { patch } = subset.spec;
  const hasPatch = patch === undefined || patch === null ? text === '' : meansTheSame(text, patch);
  return metadata.labels?.[labels.subsetRevision] === revision.label && hasPatch;
}
