import { annotations, labels } from '@atoll/api';
import { containsWanted, normalised, stableHash } from '@atoll/kube';
import type { Instant, Stored } from '@atoll/kube';
import { toTimestamp } from '../engine/conditions.ts';
import type { ChildWorkload, PodTemplate } from './child.ts';
import { podMeaning } from './pod-meaning.ts';
import { bearsTaints, isOldRendering, withLivePlacement } from './old-rendering.ts';
import { renderChild, type Place, type RenderedChild } from './render-child.ts';

const { controllerRevisionHash } = labels;
/** Changes whenever equal templates would get another hash than before. */
const hashVersion = '1';

const { appliedHash, oldRendering, podRevision, podTemplateHash, startedAt } = annotations;

/**
 * Renders a child and finishes it for the child that is there. The pods' revision label names the revision with which their
 * template last changed by meaning, and only changes with it: a new revision that leaves the pods alone (strategy,
 * labels of the workload), a scale, a take-over restarts none. The time stamp goes with the template in one write; it
 * is the only durable clock of a rollout. The selector is the live one, because nobody can change it.
 */
export function finishChild(
  place: Place,
  live: Stored<ChildWorkload> | undefined,
  now: Instant,
): RenderedChild {
  const rendered = renderChild(place);
  const old = live === undefined ? undefined : oldPods(place, rendered, live);
  const pods = old?.pods ?? rendered.spec.template;
  const hash = hashOf(pods);
  const revision = rendered.metadata.labels?.[controllerRevisionHash] ?? '';
  const kept = live === undefined ? undefined : keptRevision(live, pods, hash);
  const podLabel = kept === undefined ? revision : kept.label;
  const started = startOf(live, revision, kept !== undefined) ?? toTimestamp(now);
  const template = podLabel === undefined ? pods : withLabel(pods, podLabel);
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
  const stamps = { [startedAt]: started, [appliedHash]: stableHash(normalised(content)) };
  return {
    ...content,
    metadata: { ...content.metadata, annotations: { ...content.metadata.annotations, ...stamps } },
  };
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

/**
 * The pods as the old operator rendered them, where they are to stay so: from the take-over, unless the user changed
 * the template meanwhile, until the template changes; and no longer than they bear the taints of their pool, because
 * then they are replaced anyhow. Whatever is not placement follows the template as ever.
 */
function oldPods(
  place: Place,
  rendered: RenderedChild,
  live: Stored<ChildWorkload>,
): { readonly pods: PodTemplate; readonly mark: string } | undefined {
  const { [podTemplateHash]: remembered, [oldRendering]: marked } = live.metadata.annotations ?? {};
  if (remembered !== undefined && marked === undefined) return undefined;
  const found = live.spec?.template;
  if (found === undefined || !bearsTaints(found, place.pool)) return undefined;
  const given = (place.revision.template.spec['template'] ?? {}) as PodTemplate;
  const pods = withLivePlacement(given, found);
  const mark = hashOf(given);
  if (isComparable(remembered)) {
    return marked === mark && hashOf(pods) === remembered ? { pods, mark } : undefined;
  }
  if (remembered === undefined && !place.knownToOldOperator) return undefined;
  if (containsWanted(found, rendered.spec.template)) return undefined;
  return isOldRendering(given, place.pool.name, found) ? { pods, mark } : undefined;
}

function hashOf(pods: PodTemplate): string {
  return `${hashVersion}-${stableHash(podMeaning(pods))}`;
}

/** A hash of this version of the meaning of templates. */
function isComparable(hash: string | undefined): boolean {
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
  pods: PodTemplate,
  hash: string,
): { readonly label: string | undefined } | undefined {
  const found = live.metadata.annotations ?? {};
  const liveLabel = live.spec?.template?.metadata?.labels?.[controllerRevisionHash];
  const remembered = found[podTemplateHash];
  if (remembered === hash) return { label: found[podRevision] ?? liveLabel };
  if (isComparable(remembered)) return undefined;
  return containsWanted(live.spec?.template, pods) ? { label: liveLabel } : undefined;
}

function startOf(
  live: Stored<ChildWorkload> | undefined,
  revision: string,
  keepsPods: boolean,
): string | undefined {
  if (live === undefined || !keepsPods) return undefined;
  if (live.metadata.labels?.[controllerRevisionHash] !== revision) return undefined;
  const stamp = live.metadata.annotations?.[startedAt];
  if (stamp !== undefined && !Number.isNaN(Date.parse(stamp))) return stamp;
  return live.metadata.creationTimestamp;
}

function withLabel(pods: PodTemplate, value: string): PodTemplate {
  const { labels: found } = pods.metadata ?? {};
  return { ...pods, metadata: { ...pods.metadata, labels: { ...found, [controllerRevisionHash]: value } } };
}
