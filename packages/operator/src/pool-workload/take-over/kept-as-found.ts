import { annotations, labels } from '@atoll/api';
import type { Stored, Toleration } from '@atoll/kube';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../../children/child.ts';
import { isLeftByOldOperator } from '../../children/ownership/field-owners.ts';
import { differencesBetween, inBrief } from '../../children/pods/differences.ts';
import { podsHash, withoutLabel, type OldPods } from '../../children/pods/keep-pods.ts';
import { notedPods, podsNotedOn, unlessOthersChanged } from '../../children/pods/kept-template.ts';
import { plainPodMeaning } from '../../children/pods/pod-meaning.ts';
import { toTemplateField } from '../../engine/problems/template-field.ts';
import { bearsTaints, withLivePlacement } from './old-rendering.ts';
import { withPoolTolerations } from '../rendering/pool-tolerations.ts';
import { givenPods, renderChild, type Owner, type RenderInput } from '../rendering/render-child.ts';
import { templateField } from '../template.ts';
import { samePods, whatDecides } from './what-decides.ts';

const { applyTemplate, discardOverrides, keptPods, keptReplicas } = annotations;

/*
 * What runs at a take-over stays until a person edits the template. An old operator does not always bring children to their
 * template: yurt-manager 1.4 to 1.6 leaves them as they are when it is put back to the first revision, and any of
 * them stops at the first pool that fails. Nobody has asked for these differences to be made up for at the moment in which
 * the operator is exchanged, in all pools at once.
 *
 * That a child is kept so is written on it, with the template that was not applied: another template ends it. So are the pods that stay: what differs from
 * them later is put back, as in any other child.
 */

/** The pods as they were found, where they stay so; undefined: they become as in the template. */
export function keptPodsOf(
  input: RenderInput,
  rendered: RenderedChild,
  live: Stored<ChildWorkload>,
): OldPods | undefined {
  const found = live.spec?.template;
  const decides = whatDecides(input, live);
  if (found === undefined || decides === 'template' || isToBeApplied(input.owner)) return undefined;
  const noted = live.metadata.annotations?.[keptPods];
  const mark = podsHash(givenPods(input), noted);
  if (decides === 'memory' && noted !== mark) return undefined;
  if (samePods(found, rendered.spec.template)) return undefined;
  const stored = decides === 'memory' ? podsNotedOn(live) : undefined;
  const own = withoutLabel(found, labels.controllerRevisionHash);
  const kept = stored === undefined ? own : unlessOthersChanged(stored, own, rendered.spec.template, live);
  const bears = bearsTaints(kept, input.pool);
  // Nothing but their placement differs, and they cannot stay because of their pool's taints.
  if (decides === 'live pods' && !bears && samePods(found, withLivePlacement(givenPods(input), found))) {
    return undefined;
  }
  const pods = bears ? kept : withTolerations(kept, input);
  // A child that 0.4.0 kept has no note of its pods, and is not written for it.
  if (decides === 'memory' && stored === undefined) return { pods, mark: { [keptPods]: mark } };
  return notedPods(pods, mark, live);
}

/** How many replicas stay as they were found; undefined: as many as in the template. */
export function keptReplicasOf(input: RenderInput, live: Stored<ChildWorkload>): number | undefined {
  const { replicas, owner, knownToOldOperator } = input;
  const found = live.spec?.replicas ?? 1;
  if (replicas === undefined || found === replicas || isToBeApplied(owner)) return undefined;
  const stays = isLeftByOldOperator(live)
    ? knownToOldOperator.replicas
    : live.metadata.annotations?.[keptReplicas] === String(replicas);
  return stays ? found : undefined;
}

/** Where a child that is kept as it was found differs from the template, for people; undefined: the child is not kept so. */
export function keptDifference(input: RenderInput, live: Stored<ChildWorkload>): string | undefined {
  const { [keptPods]: pods, [keptReplicas]: replicas } = live.metadata.annotations ?? {};
  if ((pods === undefined && replicas === undefined) || isToBeApplied(input.owner)) return undefined;
  const scaled = replicas !== undefined && replicas === String(input.replicas);
  const changed = pods !== undefined && pods === podsHash(givenPods(input), pods);
  const { template = {}, replicas: found = 1 } = live.spec ?? {};
  const differences = [
    ...(scaled && found !== input.replicas
      ? [`${fieldOf(input, 'spec.replicas')} is ${input.replicas} (child: ${found})`]
      : []),
    ...(changed ? podDifferences(input, template) : []),
  ];
  return differences.length === 0 ? undefined : inBrief(differences);
}

/** What differs besides the placement that an old operator renders in its own way; where nothing does, the placement. */
function podDifferences(input: RenderInput, found: PodTemplate): readonly string[] {
  const is = plainMeaning(found);
  const field = fieldOf(input, 'spec.template');
  const [others, all] = [withLivePlacement(givenPods(input), found), renderChild(input).spec.template].map(
    (wanted) => differencesBetween(is, plainMeaning(wanted), field),
  );
  const rendered = (all ?? []).map((each) => `with what the pool adds, ${each}`);
  const differences = others?.length === 0 ? rendered : (others ?? []);
  if (differences.length > 0 || samePods(found, renderChild(input).spec.template)) return differences;
  return [`${field} has a list in another order than the child`];
}

/** As its user wrote it. */
function fieldOf({ revision }: RenderInput, field: string): string {
  return toTemplateField(field, templateField(revision.template.kind));
}

function plainMeaning(pods: PodTemplate): unknown {
  return plainPodMeaning(withoutLabel(pods, labels.controllerRevisionHash));
}

/** A person has asked for the template, or gives up what made the children different. */
function isToBeApplied({ object: { metadata } }: Owner): boolean {
  return [applyTemplate, discardOverrides].some((name) => metadata.annotations?.[name] === 'true');
}

function withTolerations(pods: PodTemplate, { pool }: RenderInput): PodTemplate {
  const { tolerations = [] } = (pods.spec ?? {}) as { readonly tolerations?: readonly Toleration[] };
  return { ...pods, spec: { ...pods.spec, tolerations: withPoolTolerations(tolerations, pool.taints) } };
}
