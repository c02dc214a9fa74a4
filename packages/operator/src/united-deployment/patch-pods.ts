import type { PodTemplateSpec } from '@atoll/kube';

export type PatchedPods =
  { readonly ok: true; readonly pods: PodTemplateSpec } | { readonly ok: false; readonly problem: string };

/** The pod template with the subset's patch, merged as the API server merges strategic patches. */
export function patchPods(template: PodTemplateSpec, patch: object | null | undefined): PatchedPods {
  if (patch === undefined || patch === null || Object.keys(patch).length === 0) {
    return { ok: true, pods: template };
  }
  return { ok: false, problem: 'patches are not merged yet' };
}
