import { controllerRevisions, daemonSets, pods, type DaemonSet, type Pod, type Stored } from '@atoll/kube';
import { revision } from '../../src/daemon-set/daemon-set.fixture.ts';
import { asking, ota } from '../../src/image-pre-pull/image-pre-pull.fixture.ts';
import { withoutIdentity } from '../messages/without-identity.ts';
import { FreshWorld } from './fresh-world.ts';

/** A DaemonSet of OTA, and an outdated pod of it whose owner asks for the images of the revision `new`. `asked`: what is different in the request. */
export function askingPod(asked: Parameters<typeof asking>[0] = {}): {
  readonly world: FreshWorld;
  readonly daemonSet: Stored<DaemonSet>;
  readonly pod: Stored<Pod>;
} {
  const world = new FreshWorld();
  const { status = {} } = ota;
  const daemonSet = world.put(daemonSets, {
    ...withoutIdentity(ota),
    status: { ...status, observedGeneration: 1 } as NonNullable<typeof ota.status>,
  });
  const { uid } = daemonSet.metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid, controller: true };
  for (const each of [revision('old', 1), revision('new', 2)]) {
    const { metadata, ...rest } = withoutIdentity(each);
    world.put(controllerRevisions, { ...rest, metadata: { ...metadata, ownerReferences: [owner] } });
  }
  const { metadata, ...rest } = withoutIdentity(asking(asked));
  const pod = world.put(pods, { ...rest, metadata: { ...metadata, ownerReferences: [owner] } });
  return { world, daemonSet, pod };
}
