import { annotations, labels } from '@atoll/api';
import { containsWanted } from '@atoll/kube';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../../children/child.ts';
import { compareChild, newChild, type Asked, type Difference } from '../../children/compare-child.ts';
import {
  isComparable,
  keepPods,
  podsHash,
  withoutLabel,
  type OldPods,
} from '../../children/pods/keep-pods.ts';
import { keptPodsOf } from '../kruise/kept-as-found.ts';
import { withKeptOrdinals } from '../kruise/kept-ordinals.ts';
import { withoutMatchFields } from './place-in-subset.ts';
import { renderChild, type RenderInput } from './render-child.ts';
import { renderPods } from './render-pods.ts';
import type { DesiredSubset } from '../observe.ts';

const { applyTemplate, oldRendering, podTemplateHash } = annotations;

/**
 * Renders a subset's child and finishes it for the child that is there, whose pods stay wherever they can. Its patch
 * must be one that can be merged.
 */
export function finishChild(
  input: RenderInput,
  live: Stored<ChildWorkload> | undefined,
  now: Instant,
): RenderedChild {
  const given = renderChild(input, podsOf(input, input.subset));
  if (live === undefined) return keepPods(given, labels.subsetRevision, live, undefined, now);
  const rendered = withKeptOrdinals(input, given, live);
  const old = oldPods(input, rendered, live) ?? keptPodsOf(input, rendered, live);
  return keepPods(rendered, labels.subsetRevision, live, old, now);
}

/** The child of a subset that has none; its patch must be one that can be merged. */
export function newSubsetChild(input: RenderInput, now: Instant): RenderedChild {
  return newChild(
    input.revision.template,
    () => finishChild(input, undefined, now),
    (rendered) => askedOf({ ...input, patchText: rendered.metadata.annotations?.[annotations.subsetPatch] }),
  );
}

/** What is to be written so that the child is what is asked for; undefined: nothing. */
export function compareSubsetChild(
  input: RenderInput,
  live: Stored<ChildWorkload>,
  now: Instant,
): Difference | undefined {
  const { template } = input.revision;
  return compareChild(template, askedOf(input), live, () => finishChild(input, live, now));
}

function askedOf(input: RenderInput): Asked {
  const { owner, subset, revision, replicas, partition, maxUnavailable, patchText } = input;
  const { asksForOtherOrdinals, keptNumber } = input;
  const { uid, name, annotations: { [applyTemplate]: applied } = {} } = owner.object.metadata;
  const { nodeSelectorTerm, tolerations, patch } = subset.spec;
  return {
    ownerUid: uid,
    ownerName: name,
    selector: owner.object.spec.selector,
    subset: subset.name,
    nodeSelectorTerm,
    tolerations,
    patch,
    patchText,
    revision: revision.label,
    replicas,
    partition,
    maxUnavailable,
    asksForOtherOrdinals,
    keptNumber,
    applied,
  };
}

/**
 * The old operator takes no notice of `matchFields`. Where that is all that parts its pods from ours they stay as they
 * are until the template or the subset's placement changes, so that a take-over restarts none.
 */
function oldPods(
  input: RenderInput,
  rendered: RenderedChild,
  live: Stored<ChildWorkload>,
): OldPods | undefined {
  const { matchFields = [] } = input.subset.spec.nodeSelectorTerm ?? {};
  if (matchFields.length === 0) return undefined;
  const { [podTemplateHash]: remembered, [oldRendering]: marked } = live.metadata.annotations ?? {};
  if (remembered !== undefined && marked === undefined) return undefined;
  const pods = podsOf(input, withoutMatchFields(input.subset));
  const hash = podsHash(rendered.spec.template, marked);
  const mark = { [oldRendering]: hash };
  if (isComparable(remembered)) {
    if (marked !== hash) return undefined;
    return podsHash(pods, remembered) === remembered ? { pods, mark } : withMore(input, rendered, live, mark);
  }
  const found = live.spec?.template;
  if (containsWanted(found, rendered.spec.template) || !containsWanted(found, pods)) return undefined;
  const isExact = podsHash(withoutLabel(found ?? {}, labels.subsetRevision)) === podsHash(pods);
  return (isExact ? undefined : withMore(input, rendered, live, mark)) ?? { pods, mark };
}

/** Pods that have more than they are rendered with, as a webhook fills in. */
function withMore(
  input: RenderInput,
  rendered: RenderedChild,
  live: Stored<ChildWorkload>,
  mark: OldPods['mark'],
): OldPods | undefined {
  const kept = keptPodsOf(input, rendered, live);
  return kept === undefined ? undefined : { ...kept, mark: { ...kept.mark, ...mark } };
}

function podsOf({ revision }: RenderInput, subset: DesiredSubset): PodTemplate {
  const rendered = renderPods(revision.template, subset);
  if (!rendered.ok)
    throw new Error(`the patch of subset ${subset.name} was not looked at: ${rendered.problem}`);
  return rendered.pods;
}
