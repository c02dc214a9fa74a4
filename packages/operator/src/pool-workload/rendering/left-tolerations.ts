import { annotations, labels } from '@atoll/api';
import { canonicalJson, type Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../../children/child.ts';
import { podsHash } from '../../children/pods/keep-pods.ts';
import { tolerationsMeaning } from '../../children/pods/pod-meaning.ts';
import { whatDecides } from '../take-over/what-decides.ts';
import { givenPods, podsGivenBy, type RenderInput } from './render-child.ts';

/** Where each taint of a pool is one that it never had, as one with a time in its value, those before are not kept for ever. */
const mostTolerations = 64;

/**
 * The child with the tolerations of taints that its pool has no longer: they harm nobody, and to take them out would replace all of its pods.
 * They stay until the template of the pods changes, also where another taint replaces the pods: two who write taints of a pool in turns
 * would replace them each time.
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
  const [wanted = [], found] = [tolerationsOf(template), tolerationsOf(live.spec?.template)];
  if (remembered === undefined || !Array.isArray(wanted) || !Array.isArray(found)) return rendered;
  const added = without(wanted, found);
  if (found.length + added.length > mostTolerations || without(found, wanted).length === 0) return rendered;
  const wroteThem =
    whatDecides(input, live) === 'memory' &&
    podsHash(withTolerations(template, found), remembered) === remembered &&
    isWrittenForGivenPods(input, live);
  if (!wroteThem) return rendered;
  const pods = withTolerations(template, [...found, ...added]);
  return { ...rendered, spec: { ...rendered.spec, template: pods } };
}

/** Those of a list that are not in the other one. */
function without(list: readonly unknown[], others: readonly unknown[]): readonly unknown[] {
  const known = new Set(others.map(meaningOf));
  return list.filter((each) => !known.has(meaningOf(each)));
}

function meaningOf(toleration: unknown): string {
  return canonicalJson(tolerationsMeaning([toleration]));
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

function withTolerations(pods: PodTemplate, tolerations: readonly unknown[]): PodTemplate {
  return { ...pods, spec: { ...pods.spec, tolerations } };
}
