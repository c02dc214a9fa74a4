import { annotations, labels } from '@atoll/api';
import { canonicalJson, type Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../../children/child.ts';
import { podsHash } from '../../children/pods/keep-pods.ts';
import { tolerationsMeaning } from '../../children/pods/pod-meaning.ts';
import { whatDecides } from '../take-over/what-decides.ts';
import { givenPods, podsGivenBy, type RenderInput } from './render-child.ts';

/**
 * The child with the tolerations of taints that its pool has no longer: they harm nobody, and to take them out would replace all of its pods.
 * They stay until the pods are replaced for another reason.
 *
 * Which they are is in the child alone: it was written for the pods that the template gives now, so what its pods tolerate besides comes from
 * the pool, if we wrote it. A toleration that the template had and lost is none of these.
 */
export function withLeftTolerations(
  rendered: RenderedChild,
  input: RenderInput,
  live: Stored<ChildWorkload>,
): RenderedChild {
  const { template } = rendered.spec;
  const remembered = live.metadata.annotations?.[annotations.podTemplateHash];
  const found = tolerationsOf(live.spec?.template);
  if (remembered === undefined || !isMore(found, tolerationsOf(template))) return rendered;
  const pods = { ...template, spec: { ...template.spec, tolerations: found } };
  const isLeft =
    whatDecides(input, live) === 'memory' &&
    podsHash(pods, remembered) === remembered &&
    isWrittenForGivenPods(input, live);
  return isLeft ? { ...rendered, spec: { ...rendered.spec, template: pods } } : rendered;
}

/** Whether a list has all of another, and more. */
function isMore(found: unknown, wanted: unknown = []): found is readonly unknown[] {
  if (!Array.isArray(found) || !Array.isArray(wanted) || found.length <= wanted.length) return false;
  const all = new Set(tolerationsMeaning(found).map(canonicalJson));
  return tolerationsMeaning(wanted).every((each) => all.has(canonicalJson(each)));
}

function isWrittenForGivenPods(input: RenderInput, { metadata }: Stored<ChildWorkload>): boolean {
  const label = metadata.labels?.[labels.controllerRevisionHash];
  if (label === input.revision.label) return true;
  const before = input.history.find((revision) => revision.label === label);
  return before !== undefined && podsHash(podsGivenBy(before)) === podsHash(givenPods(input));
}

function tolerationsOf(template: PodTemplate | undefined): unknown {
  return ((template?.spec ?? {}) as { readonly tolerations?: unknown }).tolerations;
}
