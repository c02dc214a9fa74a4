import { annotations } from '@atoll/api';
import { isFields, type KubeObject, type Stored } from '@atoll/kube';
import type { ChildTemplate } from '../child-template.ts';

/**
 * The template as the webhooks of OpenKruise and OpenYurt stored it: they gave `imagePullPolicy: Always` to each container that named
 * none, whatever its tag, and not to init containers. All else that they filled in are defaults of Kubernetes, which make no difference.
 */
export function withOldDefaults<Kind extends string>(template: ChildTemplate<Kind>): ChildTemplate<Kind> {
  const pods = template.spec['template'];
  const spec = isFields(pods) ? pods['spec'] : undefined;
  if (!isFields(pods) || !isFields(spec) || !Array.isArray(spec['containers'])) return template;
  const containers = spec['containers'].map((each: unknown) =>
    isFields(each) && !each['imagePullPolicy'] ? { ...each, imagePullPolicy: 'Always' } : each,
  );
  return {
    ...template,
    spec: { ...template.spec, template: { ...pods, spec: { ...spec, containers } } },
  };
}

/** Whether a person has asked for the template as it is, whatever an old operator left. */
export function isTemplateToBeApplied({ metadata }: Stored<KubeObject>): boolean {
  return metadata.annotations?.[annotations.applyTemplate] === 'true';
}
