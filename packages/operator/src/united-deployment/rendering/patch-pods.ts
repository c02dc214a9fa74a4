import { mergePodTemplate, StrategicMergeError, type PodTemplateSpec } from '@atoll/kube';

export type PatchedPods =
  { readonly ok: true; readonly pods: PodTemplateSpec } | { readonly ok: false; readonly problem: string };

/** The pod template with the subset's patch, merged as the API server merges strategic patches. */
export function patchPods(template: PodTemplateSpec, patch: object | null | undefined): PatchedPods {
  if (patch === undefined || patch === null) return { ok: true, pods: template };
  try {
    return { ok: true, pods: mergePodTemplate(template, patch) };
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    return { ok: false, problem: `the patch: ${error.message}` };
  }
}
