import { compileSelector, formatSelector, InvalidSelectorError } from '@atoll/kube';
import type { Hold } from '../engine/hold.ts';
import type { Inspection } from '../engine/inspection.ts';
import type { ChildWorkload, OwnedChild } from './child.ts';
import { isAboutPods } from './pods-hold.ts';

/** Children that are held because of their pods, of which the pods themselves may say why. */
export function childrenToInspect<Place extends { readonly child: OwnedChild | undefined }>(
  places: readonly Place[],
  holdOf: (place: Place) => Hold | undefined,
): readonly Inspection[] {
  return places.flatMap((place) => {
    const { child } = place;
    const held = child === undefined ? undefined : holdOf(place);
    return child === undefined || held === undefined || !isAboutPods(held) ? [] : inspectionOf(child);
  });
}

/** None where the selector cannot be understood. */
function inspectionOf({ kind, object }: OwnedChild): readonly Inspection[] {
  const labelSelector = selectorText(object);
  if (labelSelector === undefined) return [];
  const { namespace = '', name, uid, generation = 0 } = object.metadata;
  const wanted = object.spec?.replicas ?? 1;
  const conditions = object.status?.conditions ?? [];
  return [{ kind, namespace, name, uid, generation, labelSelector, wanted, conditions }];
}

/** Definitions of custom kinds let invalid ones through. */
function selectorText({ spec }: ChildWorkload): string | undefined {
  if (spec?.selector === undefined) return undefined;
  try {
    return formatSelector(compileSelector(spec.selector));
  } catch (error) {
    if (error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}
