import {
  extendedDaemonSetAnnotations as annotations,
  extendedDaemonSetEventReasons,
  extendedDaemonSetLabels as labels,
  extendedDaemonSets,
  type ExtendedDaemonSet,
} from '@atoll/api';
import { podTemplates, type PodTemplate, type Stored } from '@atoll/kube';
import { ownerReference } from '../../children/ownership/owner.ts';
import { patchAsSeen } from '../../engine/steps/patch-as-seen.ts';
import type { Step } from '../../engine/step.ts';
import { templateHash } from '../replica-sets/template-meaning.ts';

/**
 * The PodTemplate under the object's name, from which cluster-autoscaler reads what each new node will run. The API server fills in defaults, so
 * it is compared by the hash that it carries. undefined: it is as it should be.
 *
 * It has none of the object's annotations, which the old operator copies (`reference/extendeddaemonset.md` 3.15). cluster-autoscaler reads its name, namespace and
 * label, and its template, whose own annotations it has. To add the others would write each PodTemplate once more, and copy what tools keep in annotations of
 * the object, such as the manifest that `kubectl apply` applied last.
 */
export function podTemplateStep(
  object: Stored<ExtendedDaemonSet>,
  found: Stored<PodTemplate> | undefined,
): Step | undefined {
  const { name, namespace = '', labels: own } = object.metadata;
  const { template } = object.spec;
  const hash = templateHash(template);
  const why = { word: 'PodTemplateOutdated', message: `${namespace}/${name}` } as const;
  if (found === undefined) {
    return {
      do: 'create',
      resource: podTemplates,
      object: {
        apiVersion: 'v1',
        kind: 'PodTemplate',
        metadata: {
          name,
          namespace,
          labels: { ...own, [labels.autoscalerDaemonSetPod]: 'true' },
          annotations: { [annotations.templateHash]: hash },
          ownerReferences: [ownerReference({ resource: extendedDaemonSets, object })],
        },
        template,
      } as PodTemplate,
      managed: 'once',
      identity: [labels.autoscalerDaemonSetPod],
      eventReason: extendedDaemonSetEventReasons.createPodTemplate,
      why,
    };
  }
  if (found.metadata.annotations?.[annotations.templateHash] === hash) return undefined;
  const escaped = annotations.templateHash.replaceAll('~', '~0').replaceAll('/', '~1');
  const body = [
    { op: 'replace', path: '/template', value: template },
    ...(found.metadata.annotations === undefined
      ? [{ op: 'add', path: '/metadata/annotations', value: {} } as const]
      : []),
    { op: 'add', path: `/metadata/annotations/${escaped}`, value: hash },
  ] as const;
  return {
    ...patchAsSeen(podTemplates, found, { type: 'json', body }),
    eventReason: extendedDaemonSetEventReasons.updatePodTemplate,
    why,
  };
}
