import { annotations, labels } from '@atoll/api';
import { semanticallyEqual, tolerates, type Stored, type Taint, type Toleration } from '@atoll/kube';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../../children/child.ts';
import { podsHash, type OldPods } from '../../children/pods/keep-pods.ts';
import { givenPods, type RenderInput } from '../rendering/render-child.ts';
import { samePods, whatDecides } from './what-decides.ts';

const { keptPods, oldRendering, podTemplateHash } = annotations;

/** The fields of a pod's spec that the old operator renders otherwise than we do. */
interface Placement {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: { readonly nodeAffinity?: Readonly<Record<string, unknown>> };
  readonly tolerations?: readonly Toleration[];
}

interface Pool {
  readonly name: string;
  readonly taints: readonly Taint[];
}

/**
 * The pods as the old operator rendered them, where they are to stay so: from the take-over, unless the user changed
 * the template meanwhile, until the template changes; and no longer than they bear the taints of their pool, because
 * then they are replaced anyhow. Whatever is not placement follows the template as ever.
 */
export function oldRenderingOf(
  input: RenderInput,
  rendered: RenderedChild,
  live: Stored<ChildWorkload>,
): OldPods | undefined {
  const noted = live.metadata.annotations ?? {};
  const decides = whatDecides(input, live);
  const isNoted = noted[oldRendering] !== undefined || noted[keptPods] !== undefined;
  if (decides === 'template' || (decides === 'memory' && !isNoted)) return undefined;
  const [given, { pool }] = [givenPods(input), input];
  const found = live.spec?.template;
  if (found === undefined || !bearsTaints(found, pool)) return undefined;
  const pods = withLivePlacement(given, found);
  const hash = podsHash(given, noted[oldRendering]);
  const old = { pods, mark: { [oldRendering]: hash } };
  if (decides === 'live pods' && samePods(found, rendered.spec.template)) return undefined;
  if (decides === 'memory' && noted[oldRendering] !== undefined) {
    const { [podTemplateHash]: remembered } = noted;
    return noted[oldRendering] === hash && podsHash(pods, remembered) === remembered ? old : undefined;
  }
  // A child that was kept as it was found may be as the template by now: it was brought there, or the template to it.
  return isOldRendering(given, pool.name, found) ? old : undefined;
}

/**
 * The template with what the live pods have in the place of what the old operator renders otherwise. Writing it
 * changes nothing about the pods.
 */
export function withLivePlacement(given: PodTemplate, live: PodTemplate): PodTemplate {
  const { nodeSelector: _n, affinity: _a, tolerations: _t, ...rest } = (given.spec ?? {}) as Placement;
  const pool = live.metadata?.labels?.[labels.poolName];
  return {
    ...given,
    metadata: {
      ...given.metadata,
      labels: { ...given.metadata?.labels, ...(pool === undefined ? {} : { [labels.poolName]: pool }) },
    },
    spec: { ...rest, ...placementOf(live) },
  };
}

/**
 * Whether live pods are what an old operator makes of the template (`reference/openyurt.md` 3.1.4): the nodeSelector
 * is the pool's alone, the required node affinity is dropped, and any number of tolerations with `Exists` follow the
 * template's own; or, by the render webhook of v1.4.0 to v1.4.4, the template as it is.
 */
function isOldRendering(given: PodTemplate, pool: string, live: PodTemplate): boolean {
  if (!samePods(live, withLivePlacement(given, live))) return false;
  const [own, found] = [placementOf(given), placementOf(live)];
  if (semanticallyEqual(own, found)) return true;
  return (
    semanticallyEqual(found.nodeSelector, { [labels.nodePool]: pool }) &&
    semanticallyEqual(found.affinity, withoutRequired(own.affinity)) &&
    isWidened(own.tolerations ?? [], found.tolerations ?? [])
  );
}

/** Pods that are bound to their pool must bear its taints; others have never been kept away by them. */
export function bearsTaints(live: PodTemplate, { taints }: Pool): boolean {
  const { nodeSelector, tolerations = [] } = placementOf(live);
  if (nodeSelector?.[labels.nodePool] === undefined) return true;
  return taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

function placementOf({ spec = {} }: PodTemplate): Placement {
  const { nodeSelector, affinity, tolerations } = spec as Placement;
  return {
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(tolerations === undefined ? {} : { tolerations }),
  };
}

function withoutRequired(affinity: Placement['affinity']): unknown {
  if (affinity?.nodeAffinity === undefined) return affinity;
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...nodeAffinity } = affinity.nodeAffinity;
  return { ...affinity, nodeAffinity };
}

function isWidened(own: readonly Toleration[], found: readonly Toleration[]): boolean {
  const added = found.slice(own.length);
  return (
    semanticallyEqual(own, found.slice(0, own.length)) &&
    added.every(({ key = '', operator, value = '' }) => key !== '' && operator === 'Exists' && value === '')
  );
}
