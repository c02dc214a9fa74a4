import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import {
  createClient,
  customResourceDefinitions,
  definitionName,
  isApiError,
  keyOf,
  loadKubeconfig,
  namespaces,
} from '@atoll/kube';
import type { KubeObject, Resource, Stored, StreamingClient } from '@atoll/kube';
import { kubernetesMinorOf } from '@atoll/testbed';
import { isPreconditionFailure } from '../../src/engine/executor/answers/judge.ts';
import { serve } from '../../simulation/model/api-server.ts';
import { definitionOf, definitions } from '../../simulation/model/definitions.ts';
import { emptyStore, slotOf, storedOf } from '../../simulation/model/store.ts';
import type { Operation } from '../../simulation/model/api-server.ts';
import type { Store } from '../../simulation/model/store.ts';

import { fading, fadings, ghosts, group, namespace, scripts, things } from './model-scripts.ts';
import type { Act, Place, Seen } from './model-scripts.ts';

/** What one operation did, without names that differ from server to server. */
interface Seal {
  readonly answer: string;
  readonly object: unknown;
  /** Whether the uid and the version are those of the last operation. */
  readonly sameUid: boolean;
  readonly sameVersion: boolean;
}

interface Server {
  run(operation: Operation): Promise<Stored<KubeObject> | undefined>;
  read(at: Place): Promise<Stored<KubeObject> | undefined>;
}

class ModelServer implements Server {
  #store: Store = emptyStore;
  #uids = 0;

  run(operation: Operation): Promise<Stored<KubeObject> | undefined> {
    const served = serve(this.#store, operation, {
      newUid: () => `uid-${(this.#uids += 1)}`,
      now: '2026-01-01T00:00:00Z',
      optional: [fadings, ghosts],
    });
    this.#store = served.store;
    return served.answer.ok ? Promise.resolve(served.answer.object) : Promise.reject(served.answer.error);
  }

  read({ resource, name }: Place): Promise<Stored<KubeObject> | undefined> {
    const held = this.#store.objects.get(slotOf(resource, { namespace, name }));
    return Promise.resolve(held === undefined ? undefined : storedOf(held));
  }
}

class RealServer implements Server {
  readonly #client: StreamingClient;

  constructor(client: StreamingClient) {
    this.#client = client;
  }

  async run(operation: Operation): Promise<Stored<KubeObject> | undefined> {
    const client = this.#client;
    const { resource } = operation;
    const options = { fieldManager: 'atoll', force: true } as const;
    switch (operation.verb) {
      case 'get':
        return client.get(resource, operation.key);
      case 'create':
        return client.create(resource, operation.object, {
          fieldManager: 'somebody',
          ...(operation.dryRun === undefined ? {} : { dryRun: operation.dryRun }),
        });
      case 'create-by-apply':
        return client.createByApply(resource, operation.object, options);
      case 'apply':
        return client.apply(resource, operation.object, options);
      case 'apply-conditions': {
        const { key, uid, conditions, fieldManager } = operation;
        const object = { metadata: { ...key, uid }, status: { conditions } };
        return client.apply(resource, object, { subresource: 'status', fieldManager, force: true });
      }
      case 'update':
        return client.update(resource, operation.object, {
          fieldManager: 'somebody',
          ...(operation.subresource === undefined ? {} : { subresource: operation.subresource }),
        });
      case 'patch':
        return client.patch(resource, operation.key, operation.patch, {
          fieldManager: 'somebody',
          ...(operation.subresource === undefined ? {} : { subresource: operation.subresource }),
        });
      case 'delete':
        return client.delete(resource, operation.key, operation.options);
      case 'put':
        throw new Error('only the model makes an object with its status');
      case 'delete-now':
        throw new Error('only the kubelet deletes now');
    }
  }

  async read({ resource, name }: Place): Promise<Stored<KubeObject> | undefined> {
    try {
      return await this.#client.get(resource, { namespace, name });
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  }
}

async function play(server: Server, acts: readonly Act[], place: Place): Promise<readonly Seal[]> {
  const seals: Seal[] = [];
  let seen: Seen = { uid: '', version: '', firstUid: '', firstVersion: '' };
  for (const act of acts) {
    let answer = 'ok';
    try {
      const object = await server.run(act(seen, place));
      answer =
        object === undefined ? 'ok, gone' : 'resourceVersion' in object.metadata ? 'ok' : 'ok, no version';
    } catch (error) {
      if (!isApiError(error)) throw error;
      // What the executor makes of it must be the same too: it reads causes and messages.
      answer = `${error.code} ${error.reason}${isPreconditionFailure(error) ? ', the object is another one' : ''}`;
    }
    const after = await server.read(place);
    const { uid = '', resourceVersion: version = '' } = after?.metadata ?? {};
    seals.push({
      answer,
      object: meaning(after),
      sameUid: uid === seen.uid,
      sameVersion: version === seen.version,
    });
    seen = {
      uid: uid === '' ? seen.uid : uid,
      version: version === '' ? seen.version : version,
      firstUid: seen.firstUid === '' ? uid : seen.firstUid,
      firstVersion: seen.firstVersion === '' ? version : seen.firstVersion,
    };
  }
  return seals;
}

const patience = { timeout: 90_000, interval: 50 } as const;

/** The object is not there, or its kind is not served. */
function isAbsence(error: unknown): boolean {
  return isApiError(error, 'NotFound') || isApiError(error, 'NotServed');
}

/** A kind with a status subresource, whose objects hold anything. */
async function define(client: StreamingClient, resource: Resource<KubeObject>): Promise<void> {
  const { kind, plural, version: name } = resource;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
  const conditions = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: { ...open, required: ['type'], properties: { type: { type: 'string' } } },
  };
  const status = { ...open, properties: { conditions } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status } } };
  await client.create(customResourceDefinitions, {
    metadata: { name: definitionName(resource) },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  });
  const probe = async (): Promise<boolean> => {
    try {
      await client.list(resource, { namespace });
      return true;
    } catch (error) {
      if (isAbsence(error)) return false;
      throw error;
    }
  };
  await vi.waitUntil(probe, patience);
}

/** An object without what only identifies it. */
function meaning(object: Stored<KubeObject> | undefined): unknown {
  if (object === undefined) return undefined;
  const { labels, annotations, finalizers, generation, deletionTimestamp } = object.metadata;
  const { metadata: _, apiVersion: _a, kind: _k, ...content } = object;
  return {
    labels,
    annotations,
    finalizers,
    generation,
    deleting: deletionTimestamp !== undefined,
    ...content,
  };
}

/**
 * A model that nobody compared proves nothing: the same scripts run on the real API server and on the model, and what
 * each operation answers and leaves behind must be the same.
 */
describe('the model of the API server answers as the real one does', () => {
  let client: StreamingClient;

  beforeAll(async () => {
    client = createClient(await loadKubeconfig({ path: inject('kubeconfig') }));
    await client.create(namespaces, { metadata: { name: namespace } });
    await Promise.all([things, fadings].map((resource) => define(client, resource)));
  });

  afterAll(async () => {
    await client.delete(customResourceDefinitions, { name: `things.${group}` });
    await client.delete(namespaces, keyOf({ metadata: { name: namespace } }));
    await client.close();
  });

  // Kubernetes 1.30 and 1.33 let an apply make an object whose definition is being deleted; 1.36 refuses it as any other creation.
  it.skipIf(kubernetesMinorOf(process.env) < 36)(
    'while a definition is being deleted, and when it is gone',
    async () => {
      const definition = { name: definitionName(fadings) };
      const [real, model] = [new RealServer(client), new ModelServer()];
      const [held, never] = ['held', 'never'].map((name): Place => ({ resource: fadings, name })) as [
        Place,
        Place,
      ];
      const same = async (acts: readonly Act[], place: Place): Promise<void> => {
        expect(await play(model, acts, place)).toEqual(await play(real, acts, place));
      };
      await model.run({ verb: 'create', resource: definitions, object: definitionOf(fadings) });
      await same(fading.before, held);

      await client.delete(customResourceDefinitions, definition);
      await vi.waitUntil(
        async () => (await real.read(held))?.metadata.deletionTimestamp !== undefined,
        patience,
      );
      await model.run({ verb: 'delete', resource: definitions, key: definition, options: {} });
      await model.run({ verb: 'delete', resource: fadings, key: { namespace, name: 'held' }, options: {} });
      await same(fading.held, held);
      await same(fading.never, never);
      await same(fading.letGo, held);

      const isGone = async (): Promise<boolean> => {
        const found = await client
          .get(customResourceDefinitions, definition)
          .catch((error: unknown) => error);
        return isAbsence(found);
      };
      await vi.waitUntil(isGone, patience);
      // The API server learns of that through a watch.
      const isNotServed = async (): Promise<boolean> =>
        client.list(fadings, { namespace }).then(
          () => false,
          (error: unknown) => isApiError(error, 'NotServed'),
        );
      await vi.waitUntil(isNotServed, patience);
      await model.run({ verb: 'delete-now', resource: definitions, key: definition, uid: 'uid-1' });
      await same(fading.after, never);
    },
  );

  it.each(Object.entries(scripts))('%s', async (title, { on = things, acts }) => {
    const place: Place = {
      resource: on,
      name: title
        .toLowerCase()
        .replaceAll(/[^a-z]+/g, '-')
        .replaceAll(/^-|-$/g, ''),
    };
    const real = await play(new RealServer(client), acts, place);
    const model = await play(new ModelServer(), acts, place);
    expect(model).toEqual(real);
  });
});
