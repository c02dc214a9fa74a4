import { compileSelector, formatSelector, InvalidSelectorError } from '@atoll/kube';
import type { KubeObject, LabelSelector, Stored } from '@atoll/kube';
import type { Hold } from '../engine/hold.ts';
import type { Inspection } from '../engine/inspection.ts';
import type { OwnedChild } from './child.ts';
import { isAboutPods } from './pods-hold.ts';

/** Children that are held because of their pods, of which the pods themselves may show why. */
export function childrenToInspect<Place extends { readonly child: OwnedChild | undefined }>(
  places: readonly Place[],
  holdOf: (place: Place) => Hold | undefined,
): readonly Inspection[] {
  return places.flatMap((place) => {
    const { child } = place;
    const held = child === undefined ? undefined : holdOf(place);
    if (child === undefined || held === undefined || !isAboutPods(held)) return [];
    return inspectionOf(child.kind, child.object, child.object.spec?.replicas ?? 1);
  });
}

/** A workload whose pods are to be looked at. `wanted`: how many it is to have. */
interface Inspected extends Stored<KubeObject> {
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: { readonly conditions?: Inspection['conditions'] };
}

/** None where the selector cannot be understood. */
export function inspectionOf(
  kind: string,
  object: Inspected,
  wanted: number,
  awaited?: Inspection['awaited'],
): readonly Inspection[] {
  const labelSelector = selectorText(object);
  if (labelSelector === undefined) return [];
  const { namespace = '', name, uid, generation = 0 } = object.metadata;
  const conditions = object.status?.conditions ?? [];
  const known = awaited === undefined ? {} : { awaited };
  return [{ kind, namespace, name, uid, generation, labelSelector, wanted, conditions, ...known }];
}

/** Definitions of custom kinds let invalid ones through. */
function selectorText({ spec }: Inspected): string | undefined {
  if (spec?.selector === undefined) return undefined;
  try {
    return formatSelector(compileSelector(spec.selector));
  } catch (error) {
    if (error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}
