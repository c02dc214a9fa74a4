import { annotations } from '@atoll/api';
import { containsWanted, normalised, stableHash } from '@atoll/kube';
import type { Instant, Stored } from '@atoll/kube';
import { toTimestamp } from '../conditions.ts';
import type { ChildWorkload, PodTemplate, RenderedChild } from './child.ts';
import { podContent, podMeaning } from './pod-meaning.ts';

/** Changes whenever equal templates would get another hash than before. */
const hashVersion = '1';

const { appliedHash, oldRendering, podRevision, podTemplateHash, startedAt } = annotations;

/** Pods as an old operator rendered them, which are to stay so; the mark is the hash of the template that says so. */
export interface OldPods {
  readonly pods: PodTemplate;
  readonly mark: string;
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
  const pods = old?.pods ?? rendered.spec.template;
  const hash = podsHash(pods);
  const revision = rendered.metadata.labels?.[revisionLabel] ?? '';
  const kept = live === undefined ? undefined : keptRevision(live, revisionLabel, pods, hash);
  const podLabel = kept === undefined ? revision : kept.label;
  const started = startOf(live, revisionLabel, revision, kept !== undefined) ?? toTimestamp(now);
  const template = podLabel === undefined ? pods : withLabel(pods, revisionLabel, podLabel);
  const content = {
    ...rendered,
    metadata: {
      ...rendered.metadata,
      annotations: {
        ...rendered.metadata.annotations,
        [podTemplateHash]: hash,
        ...(old === undefined ? {} : { [oldRendering]: old.mark }),
        ...(podLabel === undefined ? {} : { [podRevision]: podLabel }),
      },
    },
    spec: {
      ...rendered.spec,
      ...(live?.spec?.selector === undefined ? {} : { selector: live.spec.selector }),
      template,
    },
  };
  const stamps = { [startedAt]: started, [appliedHash]: contentHash(content) };
  return {
    ...content,
    metadata: { ...content.metadata, annotations: { ...content.metadata.annotations, ...stamps } },
  };
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
  const { metadata, spec } = finished;
  return containsWanted(live, { metadata, spec }) ? undefined : 'drifted';
}

/** Rendered templates are never changed, and many are asked about again and again. */
const hashes = new WeakMap<PodTemplate, string>();

/** What is remembered of a pod template: equal by meaning, equal hash. */
export function podsHash(pods: PodTemplate): string {
  const hash = hashes.get(pods) ?? `${hashVersion}-${stableHash(podMeaning(pods))}`;
  hashes.set(pods, hash);
  return hash;
}

/** A hash of this version of the meaning of templates. */
export function isComparable(hash: string | undefined): boolean {
  return hash?.startsWith(`${hashVersion}-`) === true;
}

/**
 * What the live pods' label must stay, if their template is still the same; its label may be undefined. Where a hash
 * of our own is remembered, it decides, whatever others did to the live template. Where there is none that we can
 * compare (an old operator's child, another release's hash), the live template decides: if it already says all that is
 * wanted, writing that again replaces no pod.
 */
function keptRevision(
  live: Stored<ChildWorkload>,
  revisionLabel: string,
  pods: PodTemplate,
  hash: string,
): { readonly label: string | undefined } | undefined {
  const found = live.metadata.annotations ?? {};
  const liveLabel = live.spec?.template?.metadata?.labels?.[revisionLabel];
  const remembered = found[podTemplateHash];
  if (remembered === hash) return { label: found[podRevision] ?? liveLabel };
  if (isComparable(remembered)) return undefined;
  return containsWanted(live.spec?.template, pods) ? { label: liveLabel } : undefined;
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
