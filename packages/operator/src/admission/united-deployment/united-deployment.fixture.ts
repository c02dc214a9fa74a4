import { unitedDeployments, type UnitedDeployment } from '@atoll/api';
import {
  ObjectCache,
  OptionalCache,
  type CacheDeclaration,
  type KubeObject,
  type Resource,
  type Stored,
} from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import type { AdmissionAnswer } from '@atoll/kube/webhook';
import { caches } from '../../caches.ts';
import { kindFacts, type ChildKind } from '../../united-deployment/subsets/child-kind.ts';
import { app, stored } from '../admission.fixture.ts';
import { Judge } from '../trials/judge.fixture.ts';
import { TryChildren } from '../trials/try-children.ts';
import type { UnitedDeploymentReaders } from './united-deployment-facts.ts';
import { validateUnitedDeployment } from './validate-united-deployment.ts';

type Fields = Readonly<Record<string, unknown>>;

export function templateOf(kind: ChildKind, spec: Fields = {}, image = 'nginx:1.27'): Fields {
  const pods = { metadata: { labels: app }, spec: { containers: [{ name: 'web', image }] } };
  return { [kindFacts[kind].member]: { metadata: { labels: app }, spec: { template: pods, ...spec } } };
}

export function subsetsOf(...list: readonly Fields[]): Fields {
  return { topology: { subsets: list } };
}

/** Two subsets, four replicas of a Deployment template; `spec` replaces fields. */
export function united(
  spec: Fields = {},
  annotations: Readonly<Record<string, string>> = {},
): Stored<UnitedDeployment> {
  return stored({
    metadata: { namespace: 'shop', name: 'web', annotations },
    spec: {
      replicas: 4,
      selector: { matchLabels: app },
      template: templateOf('Deployment'),
      ...subsetsOf({ name: 'a' }, { name: 'b' }),
      ...spec,
    },
  } as unknown as UnitedDeployment);
}

/** A live child of {@link united}. */
export function childOf(kind: ChildKind, subset: string, replicas = 2): Stored<KubeObject> {
  const { resource } = kindFacts[kind];
  const name = `web-${subset}`;
  return stored({
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: {
      namespace: 'shop',
      name,
      generation: 1,
      ownerReferences: [
        {
          apiVersion: 'apps.kruise.io/v1alpha1',
          kind: 'UnitedDeployment',
          name: 'web',
          uid: 'uid-web',
          controller: true,
        },
      ],
    },
    spec: {
      replicas,
      selector: { matchLabels: { ...app, 'apps.kruise.io/subset-name': subset } },
      template: {},
    },
    status: { replicas },
  } as unknown as KubeObject);
}

export interface UnitedContent {
  readonly children?: readonly Stored<KubeObject>[];
  readonly synced?: boolean;
  /** Whether OpenKruise's kinds are there. */
  readonly kruise?: boolean;
  /** Why these cannot be read. */
  readonly unreadable?: string;
}

export function unitedReaders(content: UnitedContent = {}): UnitedDeploymentReaders {
  const { children = [], synced = true, kruise = true, unreadable } = content;
  const cache = (declaration: unknown): ObjectCache<KubeObject> => {
    const { resource, indexers } = declaration as CacheDeclaration<KubeObject>;
    const filled = new ObjectCache<KubeObject>({ resource, indexers });
    const items = children.filter((child) => isOf(child, resource));
    if (synced) filled.replace(items, '10');
    return filled;
  };
  const optional = (declaration: unknown): OptionalCache<KubeObject> => {
    const { resource, indexers } = declaration as CacheDeclaration<KubeObject>;
    const optionalCache = new OptionalCache<KubeObject>(resource);
    optionalCache.declare(indexers);
    if (kruise) optionalCache.become('served', cache(declaration));
    else optionalCache.become('absent');
    if (unreadable !== undefined) optionalCache.cannotBeRead({ since: 0, why: unreadable });
    return optionalCache;
  };
  return {
    deployments: cache(caches.deployments),
    statefulSets: cache(caches.statefulSets),
    advancedStatefulSets: optional(caches.advancedStatefulSets),
    cloneSets: optional(caches.cloneSets),
  } as unknown as UnitedDeploymentReaders;
}

function isOf(child: Stored<KubeObject>, { group, version, kind }: Resource<KubeObject>): boolean {
  return child.apiVersion === `${group}/${version}` && child.kind === kind;
}

/** A webhook in front of an API server that answers as given. */
export function setting(content: UnitedContent = {}) {
  const [judge, clock] = [new Judge(), new FakeClock()];
  const readers = unitedReaders(content);
  const tries = new TryChildren({ client: judge, clock });
  const validate = async (
    object: Stored<UnitedDeployment>,
    oldObject?: Stored<UnitedDeployment>,
  ): Promise<AdmissionAnswer> =>
    validateUnitedDeployment(
      { resource: unitedDeployments, readers, tries, clock },
      {
        uid: 'u',
        kind: { group: '', version: '', kind: '' },
        resource: { group: '', version: '', resource: '' },
        operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
        userInfo: {},
        object,
        ...(oldObject === undefined ? {} : { oldObject }),
      },
    );
  return { judge, validate };
}

export function causesOf(answer: AdmissionAnswer): readonly string[] {
  if (answer.allowed) return [];
  return (answer.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}
