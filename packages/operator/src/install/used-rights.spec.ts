// No right is spare: each that is taken away is missed, by a request that the operator was seen to make, or for a reason that is written down here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorNames, webhookConfigurationName } from '@atoll/api';
import { limitedRbacObjects, operatorClusterRoles, operatorRole } from '@atoll/api/install';
import type { ClusterRole, Role } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { shippedInstallation } from './installation.ts';
import { rightsOfRules } from './rights-of-rules.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/** By right, the test in which the audit log of the API server has such a request of the operator; `scripts/used-rights.ts` writes it. */
const used = new Map(
  readFileSync(join(import.meta.dirname, 'used-rights.txt'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [right = '', spec = ''] = line.split(': ');
      return [right, spec] as const;
    }),
);

/** What integration tests do not ask for, and why it is needed all the same. */
const reasons: Readonly<Record<string, string>> = {
  ...ofLeases(['create leases.coordination.k8s.io', 'get leases.coordination.k8s.io atoll']),
  ...ofLeases(['update leases.coordination.k8s.io atoll']),
  ...readBack('clonesets.apps.kruise.io', 'statefulsets.apps.kruise.io', 'controllerrevisions.apps', 'nodes'),
  ...readBack('jobs.batch', 'podtemplates'),
  ...leavesSubset('clonesets.apps.kruise.io', 'statefulsets.apps.kruise.io'),
  ...blockOwnerDeletion('uniteddaemonsets.apps.openyurt.io', 'yurtappdaemons.apps.openyurt.io'),
  ...blockOwnerDeletion('uniteddeployments.apps.kruise.io', 'extendeddaemonsets.datadoghq.com'),
  ...blockOwnerDeletion('extendeddaemonsetreplicasets.datadoghq.com'),
  'delete podtemplates':
    'another owner of a child, where the plugin OwnerReferencesPermissionEnforcement is on',
};

function ofLeases(rights: readonly string[]): Readonly<Record<string, string>> {
  const why = 'leader election: packages/operator/integration/faults/failover.spec.ts';
  return Object.fromEntries(rights.map((right) => [right, why]));
}

function readBack(...objects: readonly string[]): Readonly<Record<string, string>> {
  const why =
    'what a write left whose answer was lost is read back: packages/operator/explore/engine.spec.ts';
  return Object.fromEntries(objects.map((each) => [`get ${each}`, why]));
}

function leavesSubset(...objects: readonly string[]): Readonly<Record<string, string>> {
  const why =
    'the child of a subset that is gone: packages/operator/explore/united-deployment-kinds.spec.ts, and for Deployments the audit log';
  return Object.fromEntries(objects.map((each) => [`delete ${each}`, why]));
}

function blockOwnerDeletion(...objects: readonly string[]): Readonly<Record<string, string>> {
  const why = 'blockOwnerDeletion of children, where the plugin OwnerReferencesPermissionEnforcement is on';
  return Object.fromEntries(objects.map((each) => [`update ${each}/finalizers`, why]));
}

const roles = [...operatorClusterRoles(shippedInstallation.controllers), operatorRole];
const allowed = [...new Set(roles.flatMap((role) => rightsOfRules(role.rules)))].toSorted();
const wanted = [...used.keys(), ...Object.keys(reasons)];

/** What would be refused if only this were allowed. */
function refused(rights: readonly string[]): readonly string[] {
  const given = new Set(rights);
  return wanted.filter((right) => !given.has(right));
}

describe('the roles of the operator', () => {
  it.each(allowed)('without "%s" refuse a request that the operator makes', (right) => {
    expect(refused(allowed.filter((each) => each !== right))).toEqual([right]);
  });

  it('allow every request that it was seen to make', () => {
    expect(refused(allowed)).toEqual([]);
  });

  it('are used in tests that are there', () => {
    for (const spec of new Set(used.values())) expect(() => readFileSync(join(root, spec))).not.toThrow();
  });

  it('have a reason only for what no test uses', () => {
    expect(Object.keys(reasons).filter((right) => used.has(right))).toEqual([]);
  });
});

describe('the roles of an operator that is limited to namespaces', () => {
  const { controllers } = shippedInstallation;
  const { namespace: ownNamespace } = operatorNames;
  const objects = limitedRbacObjects({ ownNamespace, namespaces: ['edge'], controllers });
  /** By kind of role, and namespace if any. */
  const rightsIn = (kind: string, namespace?: string): readonly string[] =>
    objects
      .map(({ object }) => object as Role | ClusterRole)
      .filter((each) => each.kind === kind && each.metadata.namespace === namespace)
      .flatMap(({ rules }) => rightsOfRules(rules));
  const ofCluster = new Set(rightsIn('ClusterRole'));
  const ofNamespace = new Set(rightsIn('Role', 'edge'));

  // What is left is taken away in packages/operator/integration/security/namespaces.spec.ts.
  it('allow nothing that the others do not, but to see whether these namespaces are there', () => {
    const { webhookConfiguration } = operatorNames;
    const spare = [...ofCluster, ...ofNamespace]
      .map((right) => right.replace(webhookConfigurationName(ownNamespace), webhookConfiguration))
      .filter((right) => !allowed.includes(right));
    expect(spare).toEqual(['get namespaces edge', 'list namespaces edge', 'watch namespaces edge']);
  });

  it('allow in the whole cluster nothing that they allow in a namespace', () => {
    expect([...ofCluster].filter((right) => ofNamespace.has(right))).toEqual([]);
  });

  it('allow of each controller the same as its role for the whole cluster', () => {
    for (const { rules, inNamespaces, inCluster } of controllers)
      expect(rightsOfRules([...inNamespaces, ...inCluster]).toSorted()).toEqual(
        rightsOfRules(rules).toSorted(),
      );
  });

  it('allow events about what is in no namespace to be written in "default", and not to be read', () => {
    expect(rightsIn('Role', 'default')).toEqual([
      'create events.events.k8s.io',
      'patch events.events.k8s.io',
    ]);
  });
});
