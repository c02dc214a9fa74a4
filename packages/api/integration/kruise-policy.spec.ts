import { setTimeout as delay } from 'node:timers/promises';
import {
  clusterRoleBindings,
  controllerRevisions,
  createClient,
  deployments,
  isApiError,
  loadKubeconfig,
  pods,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  type ControllerRevision,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { cloneSets } from '@atoll/api';
import { startControlPlane } from '@atoll/testbed';
import { installKruiseKinds } from '@atoll/testbed/kruise';
import type { ControlPlane, ServiceAccountName } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labels, unitedDeployments } from '../src/index.ts';
import { install, kruisePolicy, kruisePolicyBinding } from '../src/install/index.ts';
import { united } from './united-samples.ts';

const namespace = 'default';
const refused = 'the manager of Kruise is kept off them';
const owner = (kind: string) => [
  { apiVersion: 'apps.kruise.io/v1alpha1', kind, name: 'web', uid: 'uid-web', controller: true },
];
const workload = { selector: { matchLabels: { app: 'web' } }, template: podTemplate('web:1') };

let controlPlane: ControlPlane;
let admin: StreamingClient;
/** Kruise's manager, as the API server identifies it. */
let kruise: StreamingClient;
/** The same of charts before 1.0.1. */
let older: StreamingClient;

/** A control plane of its own: the policy is for a whole cluster, and so are Kruise's kinds. */
beforeAll(async () => {
  controlPlane = await startControlPlane({
    components: [],
    apiServerFlags: { 'disable-admission-plugins': ['ServiceAccount'] },
  });
  admin = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }));
  await install(admin);
  await installKruiseKinds(admin);
  kruise = await mightyClient({ namespace, name: 'kruise-manager' });
  older = await mightyClient({ namespace: 'kruise-system', name: 'default' });
  await admin.create(unitedDeployments, united(namespace, 'web'));
  await admin.create(validatingAdmissionPolicies, kruisePolicy);
  await admin.create(validatingAdmissionPolicyBindings, kruisePolicyBinding);
  // A policy works a moment after it was written, as do the rights without which all is refused; the test's deadline ends what never comes.
  for (const manager of [kruise, older])
    while (!(await statusByKruise(manager)).includes(refused)) await delay(50);
});

afterAll(async () => {
  await older?.close();
  await kruise?.close();
  await admin?.close();
  await controlPlane?.stop();
});

/** With all rights, so that nothing but the policy refuses. */
async function mightyClient(account: ServiceAccountName): Promise<StreamingClient> {
  await admin.create(clusterRoleBindings, {
    metadata: { name: `${account.namespace}-${account.name}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  return createClient(await loadKubeconfig({ path: await controlPlane.kubeconfigFor(account) }));
}

function podTemplate(image: string) {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } };
}

function object(name: string, ownerKind: string | undefined, content: object): KubeObject {
  const ownerReferences = ownerKind === undefined ? {} : { ownerReferences: owner(ownerKind) };
  return { metadata: { namespace, name, ...ownerReferences }, ...content };
}

function statusByKruise(manager = kruise): Promise<string> {
  const key = { namespace, name: 'web' };
  const patch = { type: 'merge', body: { status: { readyReplicas: 1 } } } as const;
  return answerOf(manager.patch(unitedDeployments, key, patch, { subresource: 'status' }));
}

/** Why the API server refuses; empty where it does not. */
async function answerOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return '';
  } catch (error) {
    if (isApiError(error) && error.fate === 'refused') return error.message;
    throw error;
  }
}

async function made(resource: Resource<KubeObject>, name: string, kind: string | undefined, content: object) {
  await admin.create(resource, object(name, kind, content));
  return (body: object): Promise<string> =>
    answerOf(kruise.patch(resource, { namespace, name }, { type: 'merge', body }));
}

describe('where Kruise is kept off UnitedDeployments, its manager', () => {
  it('writes no status of one', async () => {
    expect(await statusByKruise()).toContain(refused);
  });

  it('writes none either under the account that its charts before 1.0.1 gave it', async () => {
    expect(await statusByKruise(older)).toContain(refused);
  });

  it.each([
    ['Deployment', deployments as Resource<KubeObject>],
    ['CloneSet', cloneSets as Resource<KubeObject>],
  ])('makes, scales, changes and deletes no %s of one', async (kind, resource) => {
    const name = `${kind.toLowerCase()}-of-united`;
    const spec = { spec: { replicas: 1, ...workload } };
    const creation = kruise.create(resource, object(`${name}-2`, 'UnitedDeployment', spec));
    expect(await answerOf(creation)).toContain(refused);
    const patched = await made(resource, name, 'UnitedDeployment', spec);
    expect(await patched({ spec: { replicas: 5 } })).toContain(refused);
    expect(await patched({ spec: { template: podTemplate('web:2') } })).toContain(refused);
    expect(await answerOf(kruise.delete(resource, { namespace, name }))).toContain(refused);
  });

  it.each([
    ['Deployment', deployments as Resource<KubeObject>],
    ['CloneSet', cloneSets as Resource<KubeObject>],
  ])('adopts no %s for one', async (kind, resource) => {
    const patched = await made(resource, `${kind.toLowerCase()}-orphan`, undefined, { spec: workload });
    expect(await patched({ metadata: { ownerReferences: owner('UnitedDeployment') } })).toContain(refused);
  });

  it('makes no revision of one', async () => {
    const revision = (kind: string): ControllerRevision =>
      object(`revision-of-${kind.toLowerCase()}`, kind, { revision: 1, data: {} }) as ControllerRevision;
    expect(await answerOf(kruise.create(controllerRevisions, revision('UnitedDeployment')))).toContain(
      refused,
    );
    expect(await answerOf(kruise.create(controllerRevisions, revision('CloneSet')))).toBe('');
  });

  it('marks no pod as reserved, and changes pods otherwise', async () => {
    const patched = await made(pods as Resource<KubeObject>, 'web-1', 'CloneSet', {
      spec: podTemplate('web:1').spec,
    });
    expect(await patched({ metadata: { labels: { [labels.reservedPod]: 'true' } } })).toContain(refused);
    expect(await patched({ metadata: { labels: { 'lifecycle.apps.kruise.io/state': 'Normal' } } })).toBe('');
  });

  it('goes on with what is its own of a CloneSet that is a child', async () => {
    const patched = await made(cloneSets as Resource<KubeObject>, 'child', 'UnitedDeployment', {
      spec: { replicas: 1, scaleStrategy: { podsToDelete: ['a'] }, ...workload },
    });
    expect(await patched({ spec: { scaleStrategy: { podsToDelete: [] } } })).toBe('');
    expect(await patched({ metadata: { annotations: { 'apps.kruise.io/x': 'y' } } })).toBe('');
    const counts = { replicas: 1, readyReplicas: 0, availableReplicas: 0 };
    const updated = { updatedReplicas: 1, updatedReadyReplicas: 0 };
    const status = { type: 'merge', body: { status: { ...counts, ...updated } } } as const;
    const written = kruise.patch(cloneSets, { namespace, name: 'child' }, status, { subresource: 'status' });
    expect(await answerOf(written)).toBe('');
  });

  it('goes on with everything that no UnitedDeployment owns', async () => {
    const spec = { spec: { replicas: 1, ...workload } };
    const patched = await made(cloneSets as Resource<KubeObject>, 'free', undefined, spec);
    expect(await patched({ spec: { replicas: 3 } })).toBe('');
    expect(await answerOf(kruise.delete(cloneSets, { namespace, name: 'free' }))).toBe('');
  });

  it('is the only one that is held back', async () => {
    const spec = { spec: { replicas: 1, ...workload } };
    await admin.create(deployments as Resource<KubeObject>, object('by-us', 'UnitedDeployment', spec));
    expect(await answerOf(admin.delete(deployments, { namespace, name: 'by-us' }))).toBe('');
  });
});
