import { controllerOf, type KubeObject, type Reader, type Resource, type Stored } from '@atoll/kube';
import type { ChildWorkload, OwnedChild } from '../child.ts';
import { ownerKey } from '../keys-for-child.ts';
import { deploymentOf } from './deployment-of-pod.ts';

/** The kinds that a child can be of, and where each is read. */
export interface ChildReading<Kind extends string> {
  readonly childKinds: readonly Kind[];
  readonly resourceOf: (kind: Kind) => Resource<KubeObject>;
  readonly readerOf: (kind: Kind) => Reader<ChildWorkload>;
}

/** A pod enqueues the owner of its child. */
export function keysForPod<Kind extends string>(
  owner: Resource<KubeObject>,
  pod: Stored<KubeObject>,
  reading: ChildReading<Kind>,
): readonly string[] {
  const child = childOfPod(pod, reading);
  const key = child === undefined ? undefined : ownerKey(owner, child.object);
  return key === undefined ? [] : [key];
}

/** The child that controls the pod, directly or by way of a ReplicaSet; undefined: it is not of these kinds, or not cached. */
function childOfPod<Kind extends string>(
  pod: Stored<KubeObject>,
  { childKinds, resourceOf, readerOf }: ChildReading<Kind>,
): OwnedChild<Kind> | undefined {
  const { namespace = '' } = pod.metadata;
  const deployment = deploymentOf(pod);
  const controller = controllerOf(pod);
  for (const kind of childKinds) {
    const isDeployment = kind === 'Deployment';
    const name = isDeployment ? deployment : controller?.name;
    if (name === undefined || (!isDeployment && controller?.kind !== resourceOf(kind).kind)) continue;
    const object = readerOf(kind).get({ namespace, name });
    if (object !== undefined && (isDeployment || object.metadata.uid === controller?.uid))
      return { kind, object };
  }
  return undefined;
}
