import { controllerOf, type KubeObject } from '@atoll/kube';

/** The label by which a ReplicaSet recognises its pods. */
export const podTemplateHash = 'pod-template-hash';

/**
 * The name of the Deployment that controls the pod by way of a ReplicaSet. Its controller names a ReplicaSet after the
 * Deployment and the hash with which it labels the pods (`pkg/controller/deployment/sync.go`; so since Kubernetes 1.12,
 * kubernetes#66093), so that ReplicaSets, which change as often as all their pods together, need not be followed. undefined:
 * it is not controlled so, or by a ReplicaSet that somebody else made.
 */
export function deploymentOf(pod: KubeObject): string | undefined {
  const controller = controllerOf(pod);
  const hash = pod.metadata.labels?.[podTemplateHash];
  if (controller?.kind !== 'ReplicaSet' || hash === undefined) return undefined;
  const suffix = `-${hash}`;
  return controller.name.endsWith(suffix) ? controller.name.slice(0, -suffix.length) : undefined;
}
