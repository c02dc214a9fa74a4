import { setTimeout as delay } from 'node:timers/promises';
import { createInformer, isReady, pods, projection } from '@atoll/kube';
import type { Pod, StreamingClient } from '@atoll/kube';

/** How long anything may take. */
export const patienceMs = 900_000;

/** Counts pods that are Ready, by app and image. */
export interface PodWatch {
  readonly until: (app: string, image: string, count: number) => Promise<void>;
  readonly gone: (app: string) => Promise<void>;
}

export async function watchPods(
  client: StreamingClient,
  namespace: string,
  signal: AbortSignal,
): Promise<PodWatch> {
  const fields = projection<Pod>()(
    'metadata.labels',
    'spec.containers.image',
    'status.conditions.type',
    'status.conditions.status',
  );
  const informer = createInformer({ client, resource: pods, namespace, projection: fields });
  const seen = new Map<string, { readonly app: string; readonly image: string }>();
  informer.subscribe((events) => {
    for (const { type, object } of events) {
      const { name, labels } = object.metadata;
      const isServing = object.metadata.deletionTimestamp === undefined && isReady(object);
      const image = isServing ? (object.spec?.containers[0]?.image ?? '') : '';
      if (type === 'deleted') seen.delete(name);
      else seen.set(name, { app: labels?.['app'] ?? '', image });
    }
  });
  void informer.start(signal);
  await informer.synced;
  const counted = (app: string, image?: string): number =>
    [...seen.values()].filter((each) => each.app === app && (image === undefined || each.image === image))
      .length;
  const wait = async (done: () => boolean, what: () => string): Promise<void> => {
    for (const deadline = Date.now() + patienceMs; !done(); await delay(20))
      if (Date.now() > deadline) throw new Error(`${what()} after ${patienceMs / 1000} s`);
  };
  return {
    until: async (app, image, wanted) =>
      wait(
        () => counted(app, image) >= wanted,
        () => `${counted(app, image)} of ${wanted} pods of ${app} are Ready with ${image}`,
      ),
    gone: async (app) =>
      wait(
        () => counted(app) === 0,
        () => `${counted(app)} pods of ${app} are still there`,
      ),
  };
}
