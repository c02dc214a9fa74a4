import { setTimeout as delay } from 'node:timers/promises';
import {
  customResourceDefinitions,
  groupResourceOf,
  servesResource,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { advancedStatefulSets, cloneSets } from '@atoll/api';
import { originalDefinition, originals } from '../originals/definitions.ts';

const kinds = [cloneSets, advancedStatefulSets] as readonly Resource<KubeObject>[];

/** Kubernetes 1.30 takes an object that is made while its definition goes, and looks for it again after a minute only. */
const patienceMs = 150_000;

/** Makes the API server serve CloneSet and Advanced StatefulSet by OpenKruise's own definitions; resolves when it does. */
export async function installKruiseKinds(client: StreamingClient): Promise<void> {
  for (const kind of kinds) {
    const definition = await originalDefinition(originals.openKruise, groupResourceOf(kind));
    await client.apply(customResourceDefinitions, definition, { fieldManager: 'helm' });
  }
  await until(client, true);
}

/** Takes the two kinds away, and all their objects with them; resolves when the API server has forgotten them. */
export async function removeKruiseKinds(client: StreamingClient): Promise<void> {
  for (const kind of kinds) await client.delete(customResourceDefinitions, { name: groupResourceOf(kind) });
  await until(client, false);
}

async function until(client: StreamingClient, wanted: boolean): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (const resource of kinds) {
    while ((await servesResource(client, resource)) !== wanted) {
      const state = wanted ? 'not served yet' : 'still served';
      if (Date.now() > deadline) throw new Error(`${resource.plural} of ${resource.group} are ${state}`);
      await delay(50);
    }
  }
}
