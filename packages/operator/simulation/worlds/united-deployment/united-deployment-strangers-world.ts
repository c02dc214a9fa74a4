import { labels, unitedDeployments } from '@atoll/api';
import type { KubeObject } from '@atoll/kube';
import { sameJson } from '../../../src/engine/same-meaning.ts';
import { childName, workloadLabel } from '../../../src/children/names.ts';
import type { UnitedDeploymentSnapshot } from '../../../src/united-deployment/observe.ts';
import { creates, edits } from '../../neighbours/people.ts';
import { slotOf, type Store } from '../../model/store.ts';
import { objectsOf, type Effect, type World } from '../../world.ts';
import { allDeployments, isAdoption, letGo, withOrphansBug, wrongAdoption } from '../orphans.ts';
import type { OrphansBug } from '../orphans.ts';
import { missingCondition } from './united-deployment-goals.ts';
import { kindOf, ownerOf, subsetOf, subsetsOf, web } from './united-deployment-objects.ts';
import { ownerIn } from './united-deployment-store.ts';
import { unitedDeploymentWorld, type UnitedDeploymentWorldOptions } from './united-deployment-world.ts';

/** Deployments that a stranger makes. */
export type Strange =
  /** With the name of the child of the last subset. */
  | 'by name'
  /** The same, and with the UnitedDeployment as its controller. */
  | 'by name, as ours'
  /** With another name, and with the UnitedDeployment as its controller; it names no subset. */
  | 'as ours'
  /** With the labels of a child of the last subset, of somebody else. */
  | 'with labels, of somebody else';

export interface StrangersWorldOptions extends UnitedDeploymentWorldOptions {
  readonly orphansBug?: OrphansBug;
  readonly strange?: readonly Strange[];
}

/** A UnitedDeployment, and a stranger who makes Deployments beside its children, relabels those, lets them go, and takes them. */
export function strangersWorld(options: StrangersWorldOptions): World {
  const { strange = [], orphansBug } = options;
  const base = unitedDeploymentWorld(options);
  const last = options.subsets?.at(-1)?.name ?? 'b';
  const world: World = {
    ...base,
    // Others write where the operator is about to.
    effort: false,
    neighbours: [
      ...base.neighbours,
      creates(
        'strange',
        allDeployments,
        strange.map((each) => made(each, last)),
      ),
      edits('relabel', allDeployments, (child) => (isOurs(child) ? relabelled(child) : [])),
      edits('let go', allDeployments, (child) => (isOurs(child) ? [letGo(child), taken(child)] : [])),
    ],
    wrongEffect: (effect) => wrongEffect(effect, base),
    missing: (store) => missingBeside(store, base),
  };
  return withOrphansBug<UnitedDeploymentSnapshot>(world, orphansBug, subsetOf);
}

const owner = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: unitedDeployments.kind,
  name: web.name,
  uid: 'uid-web',
  controller: true,
} as const;
const other = {
  apiVersion: 'example.test/v1',
  kind: 'Other',
  name: 'other',
  uid: 'uid-other',
  controller: true,
};

function made(strange: Strange, subset: string): KubeObject {
  const isNamed = strange === 'by name' || strange === 'by name, as ours';
  const name = isNamed ? childName({ name: web.name, uid: 'uid-web' }, subset) : 'stranger';
  const owners = { 'by name': [], 'by name, as ours': [owner], 'as ours': [owner] } as const;
  const ownerReferences = strange === 'with labels, of somebody else' ? [other] : owners[strange];
  const found = { app: 'web', [labels.subsetName]: subset, [labels.workload]: workloadLabel(web.name) };
  const metadata = {
    name,
    namespace: web.namespace ?? '',
    ...(strange === 'with labels, of somebody else' ? { labels: found } : {}),
    ownerReferences,
  };
  const containers = [{ name: 'web', image: 'other:1' }];
  const spec = { replicas: 1, template: { metadata: { labels: { app: 'x' } }, spec: { containers } } };
  return { metadata, spec } as KubeObject;
}

function isOurs(child: KubeObject): boolean {
  return ownerOf(child) === 'uid-web' && child.metadata.deletionTimestamp === undefined && !isStrange(child);
}

/** It was made by the stranger. */
function isStrange(child: KubeObject): boolean {
  const { spec } = child as {
    readonly spec?: { readonly template?: { readonly metadata?: KubeObject['metadata'] } };
  };
  return spec?.template?.metadata?.labels?.['app'] === 'x';
}

function relabelled({ metadata: { name } }: KubeObject) {
  const none = { [labels.subsetName]: null, [labels.workload]: null };
  return [
    { label: `takes the labels off ${name}`, patch: { metadata: { labels: none } } },
    { label: `labels ${name} as of subset x`, patch: { metadata: { labels: { [labels.subsetName]: 'x' } } } },
  ];
}

function taken({ metadata: { name } }: KubeObject) {
  return { label: `takes ${name}`, patch: { metadata: { ownerReferences: [other] } } };
}

/** E: nothing is written that is not ours, but by adoption of what was; what the stranger made stays as it is. */
function wrongEffect(effect: Effect, base: World): string | undefined {
  const { request, before, after } = effect;
  const slot = slotOf(request.resource, 'key' in request ? request.key : request.object.metadata);
  const [held, next] = [before.objects.get(slot)?.object, after.objects.get(slot)?.object];
  if (held !== undefined && isStrange(held) && !sameJson(held, next))
    return `${held.metadata.name} is written, which a stranger made`;
  if (held === undefined || !isAdoption(effect)) return base.wrongEffect?.(effect);
  if (request.resource.kind === 'Deployment' && held.metadata.labels?.[labels.workload] !== web.name)
    return `${held.metadata.name} is adopted, although nothing shows whose it was`;
  return wrongAdoption(effect, ownerIn);
}

/** L: as the world without what the stranger made; a subset whose child's name is taken says so, and what names no subset is named. */
function missingBeside(store: Store, base: World): string | undefined {
  const object = ownerIn(store);
  if (object === undefined) return undefined;
  const all = objectsOf(store, allDeployments);
  const wanted = subsetsOf(object).map(({ name }) => childName({ name: web.name, uid: 'uid-web' }, name));
  const holder = all.find(
    (each) => wanted.includes(each.metadata.name) && (isStrange(each) || !isOurs(each)),
  );
  if (holder !== undefined && kindOf(object) === 'Deployment')
    return missingCondition(object, 'Ready', 'False', `${holder.metadata.name} exists already`);
  const unknown = all.find((each) => isStrange(each) && ownerOf(each) === 'uid-web');
  const missing = base.missing(withoutStrange(store));
  return (
    missing ??
    (unknown === undefined ? undefined : missingCondition(object, 'Ready', 'True', 'names no subset'))
  );
}

function withoutStrange(store: Store): Store {
  return { ...store, objects: new Map([...store.objects].filter(([, { object }]) => !isStrange(object))) };
}
