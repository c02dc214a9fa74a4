import { annotations, labels } from '@atoll/api';
import { containsWanted } from '@atoll/kube';
import type { Instant, Stored } from '@atoll/kube';
import type { ChildWorkload, PodTemplate, RenderedChild } from '../engine/children/child.ts';
import { isComparable, keepPods, podsHash, type OldPods } from '../engine/children/keep-pods.ts';
import { bearsTaints, isOldRendering, withLivePlacement } from './old-rendering.ts';
import { renderChild, type Place } from './render-child.ts';

const { oldRendering, podTemplateHash } = annotations;

/** Renders a pool's child and finishes it for the child that is there, whose pods stay wherever they can. */
export function finishChild(
  place: Place,
  live: Stored<ChildWorkload> | undefined,
  now: Instant,
): RenderedChild {
  const rendered = renderChild(place);
  const old = live === undefined ? undefined : oldPods(place, rendered, live);
  return keepPods(rendered, labels.controllerRevisionHash, live, old, now);
}

/**
 * The pods as the old operator rendered them, where they are to stay so: from the take-over, unless the user changed
 * the template meanwhile, until the template changes; and no longer than they bear the taints of their pool, because
 * then they are replaced anyhow. Whatever is not placement follows the template as ever.
 */
function oldPods(place: Place, rendered: RenderedChild, live: Stored<ChildWorkload>): OldPods | undefined {
  const { [podTemplateHash]: remembered, [oldRendering]: marked } = live.metadata.annotations ?? {};
  if (remembered !== undefined && marked === undefined) return undefined;
  const found = live.spec?.template;
  if (found === undefined || !bearsTaints(found, place.pool)) return undefined;
  const given = (place.revision.template.spec['template'] ?? {}) as PodTemplate;
  const pods = withLivePlacement(given, found);
  const mark = podsHash(given);
  if (isComparable(remembered)) {
    return marked === mark && podsHash(pods) === remembered ? { pods, mark } : undefined;
  }
  if (remembered === undefined && !place.knownToOldOperator) return undefined;
  if (containsWanted(found, rendered.spec.template)) return undefined;
  return isOldRendering(given, place.pool.name, found) ? { pods, mark } : undefined;
}
