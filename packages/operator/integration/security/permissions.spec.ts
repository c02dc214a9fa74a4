import {
  createClient,
  loadKubeconfig,
  subjectAccessReviews,
  type ResourceAttributes,
  type StreamingClient,
} from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { install } from '../../src/install/index.ts';
import { operatorUser as user } from '../set-up/operator-account.ts';

let client: StreamingClient;
const kruise = { group: 'apps.kruise.io', namespace: 'x' };
const openYurt = { group: 'apps.openyurt.io' };

beforeAll(async () => {
  client = createClient(await loadKubeconfig({ path: inject('kubeconfig') }), { userAgent: 'spec' });
  await install(client);
});

/** The role reaches the authorizer through a watch, so the first answers may be older than the installation. */
async function operatorMay(resourceAttributes: ResourceAttributes): Promise<boolean> {
  const review = { metadata: { name: '' }, spec: { user, resourceAttributes } };
  const { status } = await client.create(subjectAccessReviews, review);
  return status?.allowed === true;
}

describe("the operator's ServiceAccount", () => {
  it.each<readonly [string, ResourceAttributes]>([
    ['label pools', { ...openYurt, resource: 'nodepools', verb: 'patch' }],
    ['watch pools', { ...openYurt, resource: 'nodepools', verb: 'watch' }],
    [
      'write the status of pools',
      { ...openYurt, resource: 'nodepools', subresource: 'status', verb: 'patch' },
    ],
    [
      'write the status of workloads',
      { ...openYurt, resource: 'yurtappdaemons', subresource: 'status', verb: 'patch' },
    ],
    ['label and taint nodes', { resource: 'nodes', verb: 'patch' }],
    [
      'create Deployments anywhere',
      { group: 'apps', resource: 'deployments', namespace: 'x', verb: 'create' },
    ],
    [
      'delete StatefulSets anywhere',
      { group: 'apps', resource: 'statefulsets', namespace: 'x', verb: 'delete' },
    ],
    ['create CloneSets anywhere', { ...kruise, resource: 'clonesets', verb: 'create' }],
    ['mark pods anywhere', { resource: 'pods', namespace: 'x', verb: 'patch' }],
    [
      'watch the definition of CloneSets',
      {
        group: 'apiextensions.k8s.io',
        resource: 'customresourcedefinitions',
        name: 'clonesets.apps.kruise.io',
        verb: 'watch',
      },
    ],
    ['record events', { group: 'events.k8s.io', resource: 'events', namespace: 'x', verb: 'create' }],
    [
      'hold its lease',
      {
        group: 'coordination.k8s.io',
        resource: 'leases',
        namespace: 'atoll-system',
        name: 'atoll',
        verb: 'update',
      },
    ],
  ])('may %s', async (_, attributes) => {
    await expect.poll(() => operatorMay(attributes)).toBe(true);
  });

  it.each<readonly [string, ResourceAttributes]>([
    ['change what users want', { ...openYurt, resource: 'uniteddaemonsets', namespace: 'x', verb: 'patch' }],
    ['delete UnitedDeployments', { ...kruise, resource: 'uniteddeployments', verb: 'delete' }],
    [
      'watch definitions that are not its concern',
      { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', verb: 'watch' },
    ],
    ['delete pools', { ...openYurt, resource: 'nodepools', verb: 'delete' }],
    ['delete nodes', { resource: 'nodes', verb: 'delete' }],
    ['read Secrets', { resource: 'secrets', namespace: 'x', verb: 'get' }],
    ['enter pods', { resource: 'pods', subresource: 'exec', namespace: 'x', verb: 'create' }],
    [
      'touch leases of others',
      { group: 'coordination.k8s.io', resource: 'leases', namespace: 'kube-system', verb: 'get' },
    ],
    ['act as somebody else', { resource: 'users', name: 'system:admin', verb: 'impersonate' }],
    [
      'ask for tokens of others',
      { resource: 'serviceaccounts', subresource: 'token', namespace: 'x', verb: 'create' },
    ],
    ['bind roles', { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings', verb: 'create' }],
    [
      'change webhooks of others',
      {
        group: 'admissionregistration.k8s.io',
        resource: 'validatingwebhookconfigurations',
        name: 'other',
        verb: 'patch',
      },
    ],
    [
      'change policies',
      { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies', verb: 'patch' },
    ],
    ['change roles', { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', verb: 'patch' }],
  ])('may not %s', async (_, attributes) => {
    expect(await operatorMay(attributes)).toBe(false);
  });
});
