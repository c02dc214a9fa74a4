import type { ExtendedDaemonSet } from '@atoll/api';
import { apiVersionOf, pods, stableHash, type Stored } from '@atoll/kube';
import { childName } from '../../children/names.ts';
import { placedOn } from '../../extended-daemon-set/fleet/render-pod.ts';
import { toTemplateField } from '../../engine/problems/template-field.ts';
import type { ExplainedTrial } from '../trials/trial.ts';

/** No node has this name, so that no pod is in the way. */
const nowhere = 'dry-run.atoll.dev';

/** A pod of the template as it would be made for a node of which no setting and no annotation changes anything. */
export function podTrial({ metadata, spec: { template } }: Stored<ExtendedDaemonSet>): ExplainedTrial {
  const { namespace = '' } = metadata;
  const spec = template.spec ?? { containers: [] };
  return {
    trial: {
      key: `pod ${stableHash([namespace, template], 20)}`,
      resource: pods,
      object: {
        apiVersion: apiVersionOf(pods),
        kind: pods.kind,
        metadata: { ...template.metadata, name: childName(metadata, nowhere), namespace },
        spec: { ...spec, ...placedOn(spec, nowhere) },
      },
      uid: undefined,
      occupied: false,
    },
    what: 'a pod of the template',
    toOwner: ({ field, message }) => ({ field: toTemplateField(field, 'spec.template'), message }),
  };
}
