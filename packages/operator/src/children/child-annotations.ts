import type { ChildTemplate } from './child-template.ts';

/** What the Deployment controller notes on Deployments is its own: it and we would write the key in turns for ever. */
const ofDeploymentController = 'deployment.kubernetes.io/';

/** The template's annotations that its children get: a template that was copied from a live Deployment has more. */
export function childAnnotations({ annotations }: ChildTemplate): Readonly<Record<string, string>> {
  const others = Object.entries(annotations).filter(([key]) => !key.startsWith(ofDeploymentController));
  return others.length === Object.keys(annotations).length ? annotations : Object.fromEntries(others);
}
