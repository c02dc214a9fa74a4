import { annotations } from '@atoll/api';
import { containsWanted, normalised, semanticallyEqual, stableHash } from '@atoll/kube';
import type { Instant, Stored } from '@atoll/kube';
import { toTimestamp } from '../../engine/status/conditions.ts';
import { sameJson } from '../../engine/same-meaning.ts';
import { withoutPodsToDelete } from '../carried-out.ts';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../child.ts';
import { isLeftByOldOperator } from '../ownership/field-owners.ts';
import { withLiveHostPorts } from './placement/host-ports.ts';
import {
  hashedPodMeaning,
  podContent,
  podMeaning,
  podMeaningWithHostPorts,
  tolerationsMeaning,
} from './pod-meaning.ts';

/** Changes whenever equal templates would get another hash than before. */
const hashVersion = '2';

const { appliedHash, podRevision, podTemplateHash, startedAt } = annotations;

/** Pods that an old operator left and that are to stay so. */
export interface OldPods {
  readonly pods: PodTemplate;
  /** The annotation that the child gets, so that this is known again: its value is the hash of the template. */
  readonly mark: Readonly<Record<string, string>>;
}

/**
 * Finishes a rendered child for the child that is there. The pods' revision label names the revision with which their
 * template last changed by meaning, and only changes with it: a new revision that leaves the pods alone (strategy,
 * labels of the workload), a scale, a take-over restarts none. The time stamp goes with the template in one write; it
 * is the only durable clock of a rollout. The selector is the live one, because nobody can change it.
 */
export function keepPods(
  rendered: RenderedChild,
  revisionLabel: string,
  live: Stored<ChildWorkload> | undefined,
  old: OldPods | undefined,
  now: Instant,
): RenderedChild {
  const pods = withLiveTolerations(old?.pods ?? rendered.spec.template, live?.spec?.template);
  const finished = finishWith(pods, rendered, revisionLabel, live, old, now);
  if (live === undefined || wroteSo(finished, live)) return finished;
  const inForm = withLiveHostPorts(pods, live.spec?.template);
  return inForm === pods ? finished : finishWith(inForm, rendered, revisionLabel, live, old, now);
}

/** Whether we wrote the child last, and exactly so. */
function wroteSo({ metadata: { annotations: wanted } }: RenderedChild, live: Stored<ChildWorkload>): boolean {
  return !isLeftByOldOperator(live) && live.metadata.annotations?.[appliedHash] === wanted?.[appliedHash];
}

function finishWith(
  pods: PodTemplate,
  rendered: RenderedChild,
  revisionLabel: string,
  live: Stored<ChildWorkload> | undefined,
  old: OldPods | undefined,
  now: Instant,
): RenderedChild {
  const hash = podsHash(pods, live?.metadata.annotations?.[podTemplateHash]);
  const revision = rendered.metadata.labels?.[revisionLabel] ?? '';
  const kept = live === undefined ? undefined : keptRevision(live, revisionLabel, pods, hash);
  const podLabel = kept === undefined ? revision : kept.label;
  const started = startOf(live, revisionLabel, revision, kept !== undefined) ?? toTimestamp(now);
  const template = podLabel === undefined ? pods : withLabel(pods, revisionLabel, podLabel);
  const selector = live?.spec?.selector === undefined ? {} : { selector: live.spec.selector };
  const spec = { ...rendered.spec, ...selector, template };
  const content = annotated(
    { ...rendered, spec },
    {
      [podTemplateHash]: hash,
      ...old?.mark,
      ...(podLabel === undefined ? {} : { [podRevision]: podLabel }),
    },
  );
  return annotated(content, { [startedAt]: started, [appliedHash]: contentHash(content) });
}

function annotated(child: RenderedChild, more: Readonly<Record<string, string>>): RenderedChild {
  const { metadata } = child;
  return { ...child, metadata: { ...metadata, annotations: { ...metadata.annotations, ...more } } };
}

function contentHash(content: RenderedChild): string {
  const { spec } = content;
  return stableHash(normalised({ ...content, spec: { ...spec, template: podContent(spec.template) } }));
}

/**
 * Whether a live child has to be written. The hash notices fields that the template no longer has; the comparison
 * notices fields that somebody else changed.
 */
export function differs(
  finished: RenderedChild,
  live: Stored<ChildWorkload>,
): 'outdated' | 'drifted' | undefined {
  const { annotations: wanted = {} } = finished.metadata;
  if (live.metadata.annotations?.[appliedHash] !== wanted[appliedHash]) return 'outdated';
  const { metadata } = finished;
  return containsWanted(live, { metadata, spec: withoutPodsToDelete(finished.spec) }) ? undefined : 'drifted';
}

/**
 * What is remembered of a pod template: equal by meaning, equal hash. A noted hash that an earlier release made of the same
 * template stays, because another one would write the child that has it.
 */
export function podsHash(pods: PodTemplate, noted?: string): string {
  const hash = `${hashVersion}-${stableHash(podMeaning(pods))}`;
  if (noted === undefined || noted === hash) return hash;
  const earlier = [podMeaningWithHostPorts, hashedPodMeaning];
  return earlier.some((meaningOf) => noted === `${hashVersion}-${stableHash(meaningOf(pods))}`)
    ? noted
    : hash;
}

/** A hash of this version of the meaning of templates. */
export function isComparable(hash: string | undefined): boolean {
  return hash?.startsWith(`${hashVersion}-`) === true;
}

/**
 * What the live pods' label must stay, if their template is still the same; its label may be undefined. A live template that
 * has all that is wanted keeps the label that it has, no matter who wrote it: to write another would replace pods for nothing.
 *
 * Where a hash of our own is remembered and is that of other pods, fields of those may have to go; so the live template
 * must then have no more than is wanted. Where there is none that we can compare (an old operator's child, another
 * release's hash), it may have more: what others added stays.
 */
function keptRevision(
  live: Stored<ChildWorkload>,
  revisionLabel: string,
  pods: PodTemplate,
  hash: string,
): { readonly label: string | undefined } | undefined {
  const found = live.metadata.annotations ?? {};
  const template = live.spec?.template;
  const label = template?.metadata?.labels?.[revisionLabel];
  const remembered = found[podTemplateHash];
  if (remembered !== hash && isComparable(remembered)) {
    return template !== undefined && podsHash(withoutLabel(template, revisionLabel)) === hash
      ? { label }
      : undefined;
  }
  if (containsWanted(template, pods)) return { label };
  return remembered === hash ? { label: found[podRevision] ?? label } : undefined;
}

/** What means the same in the form that the live pods have: to write it otherwise would replace them. */
export function inLiveForm(pods: PodTemplate, live: PodTemplate | undefined): PodTemplate {
  return withLiveHostPorts(withLiveTolerations(pods, live), live);
}

/** Tolerations that mean the same stay in the form that they have: to write them otherwise would replace the pods. */
function withLiveTolerations(pods: PodTemplate, live: PodTemplate | undefined): PodTemplate {
  const [wanted, found] = [tolerationsOf(pods), tolerationsOf(live)];
  if (wanted === undefined || found === undefined || sameJson(wanted, found)) return pods;
  if (!semanticallyEqual(tolerationsMeaning(wanted), tolerationsMeaning(found))) return pods;
  return { ...pods, spec: { ...pods.spec, tolerations: found } };
}

/** undefined, too, where they are no list: the API server refuses the child, and its words are what the user has to read. */
function tolerationsOf(template: PodTemplate | undefined): readonly unknown[] | undefined {
  const { tolerations } = (template?.spec ?? {}) as { readonly tolerations?: unknown };
  return Array.isArray(tolerations) ? tolerations : undefined;
}

/** The pods without their revision, which is none of their own. */
export function withoutLabel(pods: PodTemplate, label: string): PodTemplate {
  const { [label]: _revision, ...own } = pods.metadata?.labels ?? {};
  return { ...pods, metadata: { ...pods.metadata, labels: own } };
}

function startOf(
  live: Stored<ChildWorkload> | undefined,
  revisionLabel: string,
  revision: string,
  keepsPods: boolean,
): string | undefined {
  if (live === undefined || !keepsPods) return undefined;
  if (live.metadata.labels?.[revisionLabel] !== revision) return undefined;
  const stamp = live.metadata.annotations?.[startedAt];
  if (stamp !== undefined && !Number.isNaN(Date.parse(stamp))) return stamp;
  return live.metadata.creationTimestamp;
}

function withLabel(pods: PodTemplate, label: string, value: string): PodTemplate {
  const { labels: found } = pods.metadata ?? {};
  return { ...pods, metadata: { ...pods.metadata, labels: { ...found, [label]: value } } };
}
