import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { pods, stableHash, type Stored } from '@atoll/kube';
import { toTemplateField } from '../../engine/problems/template-field.ts';
import { renderPod } from '../../extended-daemon-set/fleet/render-pod.ts';
import { nothingOverridden } from '../../extended-daemon-set/overrides/pod-overrides.ts';
import { renderReplicaSet } from '../../extended-daemon-set/replica-sets/render-replica-set.ts';
import type { ExplainedTrial } from '../trials/trial.ts';

/** No node has this name, so that no pod is in the way. */
const nowhere = 'dry-run.atoll.dev';

/**
 * A pod of the template as it would be made for a node of which no setting and no annotation changes anything, with its labels and its owner: policies go by
 * these.
 */
export function podTrial(object: Stored<ExtendedDaemonSet>): ExplainedTrial {
  const rendered = renderReplicaSet(object);
  // Nobody looks for it: the dry run makes nothing.
  const replicaSet = {
    ...rendered,
    metadata: { ...rendered.metadata, uid: nowhere },
  } as Stored<ExtendedDaemonSetReplicaSet>;
  const pod = renderPod({
    object,
    replicaSet,
    node: nowhere,
    overrides: nothingOverridden,
    isCanary: false,
    failures: 0,
  });
  // Pods get labels and annotations alone. What else is there may be one of these, misspelt, which the API server shows by refusing it. A template that was
  // copied from a pod has its version, with which nothing can be made.
  const { resourceVersion: _, ...ofTemplate } = object.spec.template.metadata ?? {};
  const tried = { ...pod, metadata: { ...ofTemplate, ...pod.metadata } };
  return {
    trial: {
      key: `pod ${stableHash(tried, 20)}`,
      resource: pods,
      object: { ...tried, spec: pod.spec ?? {} },
      uid: undefined,
      occupied: false,
    },
    what: 'a pod of the template',
    toOwner: ({ field, message }) => {
      const [, name] = /^metadata\.(\w+)/.exec(field) ?? [];
      const isOfTemplate = name !== undefined && !Object.hasOwn(pod.metadata, name);
      const own = isOfTemplate ? `spec.template.${field}` : toTemplateField(field, 'spec.template');
      return { field: own, message };
    },
  };
}
