import { configMaps } from '@atoll/kube';
import type { KubeObject, Patch, Resource } from '@atoll/kube';
import type { Operation } from '../../simulation/model/api-server.ts';

/** Every script has objects of its own in one namespace of this run. */
export const namespace = `model-${Math.random().toString(36).slice(2, 8)}`;
export const group = 'model.example';
export const things: Resource<KubeObject> = {
  group,
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};
/** Of a definition that is deleted while an object holds it up. */
export const fadings: Resource<KubeObject> = { ...things, kind: 'Fading', plural: 'fadings' };
/** Of no definition. */
export const ghosts: Resource<KubeObject> = { ...things, kind: 'Ghost', plural: 'ghosts' };
const policies: Resource<KubeObject> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
};
const maps = configMaps as Resource<KubeObject>;

/** The script's object as it was after its first and its last operation; strangers for what never was. */
export interface Seen {
  readonly uid: string;
  readonly version: string;
  readonly firstUid: string;
  readonly firstVersion: string;
}

interface Body {
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

export type Act = (seen: Seen, at: Place) => Operation;

export interface Place {
  readonly resource: Resource<KubeObject>;
  readonly name: string;
}

function bodyAt({ resource, name }: Place, body: Body): KubeObject {
  const { group: apiGroup, version, kind } = resource;
  const apiVersion = apiGroup === '' ? version : `${apiGroup}/${version}`;
  return {
    ...body,
    apiVersion,
    kind,
    metadata: { ...body.metadata, name, namespace },
  } as unknown as KubeObject;
}

const create =
  (body: Body): Act =>
  (_, at) => ({ verb: 'create', resource: at.resource, object: bodyAt(at, body) });
const tryOut =
  (body: Body): Act =>
  (_, at) => ({ verb: 'create', resource: at.resource, object: bodyAt(at, body), dryRun: true });
const createByApply =
  (body: Body): Act =>
  (_, at) => ({
    verb: 'create-by-apply',
    resource: at.resource,
    object: bodyAt(at, body),
  });
const apply =
  (body: (seen: Seen) => Body): Act =>
  (seen, at) => ({ verb: 'apply', resource: at.resource, object: bodyAt(at, body(seen)) });
const update =
  (body: (seen: Seen) => Body, subresource?: 'status'): Act =>
  (seen, at) => ({
    verb: 'update',
    resource: at.resource,
    object: bodyAt(at, body(seen)),
    ...(subresource === undefined ? {} : { subresource }),
  });
const patch =
  (make: (seen: Seen) => Patch, subresource?: string): Act =>
  (seen, at) => ({
    verb: 'patch',
    resource: at.resource,
    key: { namespace, name: at.name },
    patch: make(seen),
    ...(subresource === undefined ? {} : { subresource }),
  });
const merge = (body: (seen: Seen) => object, subresource?: string): Act =>
  patch((seen) => ({ type: 'merge', body: body(seen) }), subresource);
const json = (operations: (seen: Seen) => Extract<Patch, { readonly type: 'json' }>['body']): Act =>
  patch((seen) => ({ type: 'json', body: operations(seen) }));
/** Conditions of ours of these types, the first one True. */
const conditions =
  (types: readonly string[], status: 'True' | 'False' = 'True', uid?: string): Act =>
  (seen, at) => ({
    verb: 'apply-conditions',
    resource: at.resource,
    key: { namespace, name: at.name },
    uid: uid ?? seen.uid,
    conditions: types.map((type) => ({
      type,
      status,
      reason: 'Because',
      message: '',
      lastTransitionTime: moment,
    })),
    fieldManager: 'atoll-conditions',
  });
const remove =
  (options: (seen: Seen) => Extract<Operation, { readonly verb: 'delete' }>['options'] = () => ({})): Act =>
  (seen, at) => ({
    verb: 'delete',
    resource: at.resource,
    key: { namespace, name: at.name },
    options: { propagationPolicy: 'Background', ...options(seen) },
  });
const get: Act = (_, at) => ({ verb: 'get', resource: at.resource, key: { namespace, name: at.name } });

const one = { spec: { a: 1, list: [1, 2] } };
const finalized = { metadata: { finalizers: ['model.example/wait'] }, ...one };
const policy = { spec: { podSelector: { matchLabels: { a: '1' } }, policyTypes: ['Ingress'] } };
const moment = '2026-01-01T00:00:00Z';
const theirs = { ready: 1, conditions: [{ type: 'Theirs', status: 'True' }] };
const strange = '00000000-0000-0000-0000-000000000000';
const at = (seen: Seen, change: object = {}): object => ({ resourceVersion: seen.version, ...change });

/** Scripts on a custom resource with a status subresource, unless said otherwise. */
export const scripts: Readonly<
  Record<string, { readonly on?: Resource<KubeObject>; readonly acts: readonly Act[] }>
> = {
  'get of nothing': { acts: [get] },
  'anything of a kind that has no definition': {
    on: ghosts,
    acts: [get, create(one), createByApply(one), apply(() => one), merge(() => one), remove()],
  },
  'create, and again': { acts: [create(one), create(one), get] },
  'a dry run makes nothing, and answers without a version': { acts: [tryOut(one), get, create(one)] },
  'a dry run of a name that is taken': { acts: [create(one), tryOut(one), get] },
  'create drops the status': { acts: [create({ ...one, status: { ready: 1 } }), get] },
  'create of a name that is terminating': { acts: [create(finalized), remove(), create(one)] },
  'create after a deletion is another object': { acts: [create(one), remove(), get, create(one)] },
  'create by apply, and again': {
    acts: [createByApply(one), createByApply(one), createByApply({ spec: { a: 2 } })],
  },
  'create by apply of what was created otherwise': { acts: [create(one), createByApply({ spec: { a: 5 } })] },
  'apply creates': { acts: [apply(() => one)] },
  'apply with the uid of nothing': { acts: [apply(() => ({ metadata: { uid: strange }, ...one })), get] },
  'apply with the uid of its former self': {
    acts: [
      create(one),
      remove(),
      create(one),
      apply((seen) => ({ metadata: { uid: seen.firstUid }, spec: { a: 2 } })),
      get,
    ],
  },
  'apply with the right uid': {
    acts: [create(one), apply((seen) => ({ metadata: { uid: seen.uid }, spec: { a: 2 } }))],
  },
  'apply of the same again': { acts: [apply(() => one), apply(() => one)] },
  'apply with a stale version': {
    acts: [
      create(one),
      merge(() => ({ spec: { a: 2 } })),
      apply((seen) => ({ metadata: { uid: seen.uid, resourceVersion: seen.firstVersion }, spec: { a: 3 } })),
    ],
  },
  'apply leaves alone what others set': {
    acts: [
      apply(() => ({ spec: { a: 1 } })),
      merge(() => ({ spec: { b: 2 } })),
      apply(() => ({ spec: { a: 3 } })),
    ],
  },
  'apply takes away what it set and sets no longer': {
    acts: [
      apply(() => ({ metadata: { labels: { x: '1', y: '2' } }, spec: { a: 1, deep: { b: 2, c: 3 } } })),
      apply(() => ({ metadata: { labels: { x: '1' } }, spec: { a: 1, deep: { b: 2 } } })),
      apply(() => ({ spec: { a: 1 } })),
    ],
  },
  'apply replaces a plain list': { acts: [apply(() => one), apply(() => ({ spec: { a: 1, list: [3] } }))] },
  'apply after another changed its field': {
    acts: [
      apply(() => ({ spec: { a: 1 } })),
      merge(() => ({ spec: { a: 7 } })),
      apply(() => ({ spec: { a: 1 } })),
    ],
  },
  'update without a version, of a custom resource': {
    acts: [create(one), update(() => ({ spec: { a: 2 } }))],
  },
  'update without a version, of a built-in': {
    on: maps,
    acts: [create({ data: { a: '1' } }), update(() => ({ data: { a: '2' } }))],
  },
  'update with the version': {
    acts: [create(one), update((seen) => ({ metadata: at(seen), spec: { a: 2 } }))],
  },
  'update with a stale version': {
    acts: [
      create(one),
      merge(() => ({ spec: { a: 2 } })),
      update((seen) => ({ metadata: { resourceVersion: seen.firstVersion }, spec: { a: 3 } })),
    ],
  },
  'update with the same content': { acts: [create(one), update((seen) => ({ metadata: at(seen), ...one }))] },
  'update of labels only keeps the generation': {
    acts: [create(one), update((seen) => ({ metadata: at(seen, { labels: { x: '1' } }), ...one }))],
  },
  'update of nothing': { acts: [update(() => ({ metadata: { resourceVersion: '1' }, ...one }))] },
  'update of the spec keeps the status': {
    acts: [
      create(one),
      merge(() => ({ status: { ready: 1 } }), 'status'),
      update((seen) => ({ metadata: at(seen), spec: { a: 2 }, status: { ready: 9 } })),
    ],
  },
  'update of the status touches nothing else': {
    acts: [
      create(one),
      update(
        (seen) => ({ metadata: at(seen, { labels: { x: '1' } }), spec: { a: 9 }, status: { ready: 1 } }),
        'status',
      ),
    ],
  },
  'merge patch of the spec': { acts: [create(one), merge(() => ({ spec: { a: 2 } }))] },
  'merge patch with null': { acts: [create(one), merge(() => ({ spec: { list: null } }))] },
  'merge patch that changes nothing': { acts: [create(one), merge(() => ({ spec: { a: 1 } }))] },
  'merge patch of nothing': { acts: [merge(() => ({ spec: { a: 1 } }))] },
  'merge patch with the right uid and version': {
    acts: [
      create(one),
      merge((seen) => ({ metadata: { uid: seen.uid, resourceVersion: seen.version }, spec: { a: 2 } })),
    ],
  },
  'merge patch with another uid': {
    acts: [create(one), merge(() => ({ metadata: { uid: strange }, spec: { a: 2 } })), get],
  },
  'merge patch with another uid and a stale version': {
    acts: [
      create(one),
      remove(),
      create(one),
      merge((seen) => ({
        metadata: { uid: seen.firstUid, resourceVersion: seen.firstVersion },
        spec: { a: 2 },
      })),
    ],
  },
  'merge patch with a stale version': {
    acts: [
      create(one),
      merge(() => ({ spec: { a: 2 } })),
      merge((seen) => ({ metadata: { resourceVersion: seen.firstVersion }, spec: { a: 3 } })),
      get,
    ],
  },
  'merge patch of the status': {
    acts: [
      create(one),
      merge(
        (seen) => ({ metadata: { uid: seen.uid, resourceVersion: seen.version }, status: { ready: 1 } }),
        'status',
      ),
    ],
  },
  'merge patch of the status cannot reach the spec': {
    acts: [create(one), merge(() => ({ spec: { a: 9 }, status: { ready: 1 } }), 'status')],
  },
  'merge patch of the spec cannot reach the status': {
    acts: [create(one), merge(() => ({ spec: { a: 9 }, status: { ready: 1 } }))],
  },
  'merge patch of the status with a stale version': {
    acts: [
      create(one),
      merge(() => ({ metadata: { annotations: { x: '1' } } })),
      merge((seen) => ({ metadata: { resourceVersion: seen.firstVersion }, status: { ready: 1 } }), 'status'),
    ],
  },
  'JSON patch': {
    acts: [
      create(one),
      json(() => [
        { op: 'replace', path: '/spec/a', value: 2 },
        { op: 'add', path: '/spec/b', value: 3 },
      ]),
    ],
  },
  'JSON patch of list items': {
    acts: [
      create(one),
      json(() => [
        { op: 'remove', path: '/spec/list/0' },
        { op: 'add', path: '/spec/list/-', value: 3 },
      ]),
    ],
  },
  'JSON patch that tests the uid': {
    acts: [
      create(one),
      json((seen) => [
        { op: 'test', path: '/metadata/uid', value: seen.uid },
        { op: 'replace', path: '/spec/a', value: 2 },
      ]),
    ],
  },
  'JSON patch whose test of the uid fails': {
    acts: [
      create(one),
      json(() => [
        { op: 'test', path: '/metadata/uid', value: strange },
        { op: 'replace', path: '/spec/a', value: 2 },
      ]),
      get,
    ],
  },
  'JSON patch that replaces the uid by the right one': {
    acts: [
      create(one),
      json((seen) => [
        { op: 'replace', path: '/metadata/uid', value: seen.uid },
        { op: 'replace', path: '/spec/a', value: 2 },
      ]),
    ],
  },
  'JSON patch that replaces the uid by another': {
    acts: [
      create(one),
      json(() => [
        { op: 'replace', path: '/metadata/uid', value: strange },
        { op: 'replace', path: '/spec/a', value: 2 },
      ]),
      get,
    ],
  },
  'JSON patch that replaces the version by the right one': {
    acts: [
      create(one),
      json((seen) => [
        { op: 'replace', path: '/metadata/resourceVersion', value: seen.version },
        { op: 'replace', path: '/spec/a', value: 2 },
      ]),
    ],
  },
  'JSON patch that replaces the version by a stale one': {
    acts: [
      create(one),
      merge(() => ({ spec: { a: 2 } })),
      json((seen) => [
        { op: 'replace', path: '/metadata/resourceVersion', value: seen.firstVersion },
        { op: 'replace', path: '/spec/a', value: 3 },
      ]),
    ],
  },
  'JSON patch that does not fit': { acts: [create(one), json(() => [{ op: 'remove', path: '/spec/none' }])] },
  'delete of nothing': { acts: [remove()] },
  delete: { acts: [create(one), remove(), get] },
  'delete with the right uid and version': {
    acts: [create(one), remove((seen) => ({ uid: seen.uid, resourceVersion: seen.version })), get],
  },
  'delete with another uid': { acts: [create(one), remove(() => ({ uid: strange })), get] },
  'delete with a stale version': {
    acts: [
      create(one),
      merge(() => ({ spec: { a: 2 } })),
      remove((seen) => ({ resourceVersion: seen.firstVersion })),
      get,
    ],
  },
  'delete with a finalizer waits, and bumps the generation': { acts: [create(finalized), remove(), get] },
  'delete of what is terminating': { acts: [create(finalized), remove(), remove(), get] },
  'the last finalizer goes, and the object with it': {
    acts: [create(finalized), remove(), merge(() => ({ metadata: { finalizers: null } })), get],
  },
  'no finalizer is added while deleting': {
    acts: [
      create(finalized),
      remove(),
      merge(() => ({ metadata: { finalizers: ['model.example/wait', 'model.example/more'] } })),
      get,
    ],
  },
  'a finalizer goes before the deletion': {
    acts: [create(finalized), merge(() => ({ metadata: { finalizers: null } })), remove(), get],
  },
  'the spec may change while deleting': {
    acts: [create(finalized), remove(), merge(() => ({ spec: { a: 2 } })), get],
  },
  'conditions of ours stand beside those of others, and go when they are not named': {
    acts: [
      create(one),
      conditions(['Ours']),
      merge(() => ({ status: theirs }), 'status'),
      conditions(['Ours']),
      conditions(['Ours', 'More'], 'False'),
      conditions(['Ours', 'More'], 'False'),
      conditions(['More'], 'False'),
      conditions([]),
      conditions([]),
    ],
  },
  'conditions of another object': { acts: [create(one), conditions(['Ours'], 'True', strange), get] },
  'conditions of nothing': { acts: [conditions(['Ours'], 'True', strange), get] },
  'a built-in counts generations too': {
    on: policies,
    acts: [
      create(policy),
      merge(() => ({ metadata: { labels: { x: '1' } } })),
      merge(() => ({ spec: { podSelector: { matchLabels: { a: '2' } } } })),
    ],
  },
  'a built-in applied by us': {
    on: policies,
    acts: [
      apply(() => policy),
      apply((seen) => ({ metadata: { uid: seen.uid }, ...policy })),
      apply(() => ({ metadata: { uid: strange }, ...policy })),
      get,
    ],
  },
  'a built-in patched with another uid': {
    on: maps,
    acts: [
      create({ data: { a: '1' } }),
      merge(() => ({ metadata: { uid: strange }, data: { a: '2' } })),
      get,
    ],
  },
  'a strategic merge patch of a built-in': {
    on: maps,
    acts: [
      create({ data: { a: '1', b: '2' } }),
      patch((seen) => ({
        type: 'strategic',
        body: { metadata: { uid: seen.uid }, data: { a: null, c: '3' } },
      })),
    ],
  },
};

/** What is done while a definition is being deleted: before, to an object that holds it up, and to one that never was. */
export const fading = {
  before: [create(finalized)],
  held: [get, merge(() => ({ spec: { a: 2 } }))],
  never: [get, create(one), createByApply(one), apply(() => one)],
  letGo: [merge(() => ({ metadata: { finalizers: [] } }))],
  after: [get, create(one)],
} as const satisfies Readonly<Record<string, readonly Act[]>>;
