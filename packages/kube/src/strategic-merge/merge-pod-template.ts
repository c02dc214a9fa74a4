import type { PodTemplateSpec } from '../types/index.ts';
import { podTemplatePatchSchema } from './pod-template-schema.ts';
import { strategicMerge } from './strategic-merge.ts';

/**
 * A pod template with a strategic merge patch, as an API server would merge it; see {@link strategicMerge}. Whether the
 * result is a pod template that a server takes is not looked at.
 */
export function mergePodTemplate(template: PodTemplateSpec, patch: unknown): PodTemplateSpec {
  return strategicMerge(template, patch, podTemplatePatchSchema) as PodTemplateSpec;
}
