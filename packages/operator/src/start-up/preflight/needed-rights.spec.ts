import { describe, expect, it } from 'vitest';
import { operatorClusterRoleBindings, operatorClusterRoles, operatorRole } from '@atoll/api/install';
import { groupResourceOf } from '@atoll/kube';
import { cloneSets, nodePools } from '@atoll/api';
import { controllerRules } from '../../install/cluster-role-rules.ts';
import { rightsOfRules } from '../../install/rights-of-rules.ts';
import { defineKind } from '../../definitions/kind-definition.ts';
import { kindDefinitions } from '../../definitions/kind-definitions.ts';
import { leaseRights, neededRights } from './needed-rights.ts';
import type { NeededRight } from './preflight.ts';

/** Allowed besides what the controllers declare, and why. */
const explained = {
  'create tokenreviews.authentication.k8s.io': 'who sees metrics; nobody does where it may not',
  'create subjectaccessreviews.authorization.k8s.io': 'who sees metrics; nobody does where it may not',
  'create events.events.k8s.io': 'the event recorder; nothing stops where it may not',
  'patch events.events.k8s.io': 'the event recorder counts repetitions in the event that is there',
  'list events.events.k8s.io': 'why pods do not become ready; less is said where it may not',
  'update extendeddaemonsets.datadoghq.com/finalizers':
    'blockOwnerDeletion of children, where it is enforced',
  'update extendeddaemonsetreplicasets.datadoghq.com/finalizers':
    'blockOwnerDeletion of children, where it is enforced',
  'update uniteddaemonsets.apps.openyurt.io/finalizers':
    'blockOwnerDeletion of children, where it is enforced',
  'update yurtappdaemons.apps.openyurt.io/finalizers': 'blockOwnerDeletion of children, where it is enforced',
  'update uniteddeployments.apps.kruise.io/finalizers':
    'blockOwnerDeletion of children, where it is enforced',
  ...ofWebhooks('mutatingwebhookconfigurations.admissionregistration.k8s.io atoll'),
  ...ofWebhooks('validatingwebhookconfigurations.admissionregistration.k8s.io atoll'),
};

function ofWebhooks(objects: string): Readonly<Record<string, string>> {
  const why = 'webhooks, without which everything else goes on';
  return Object.fromEntries(['get', 'create', 'patch'].map((verb) => [`${verb} ${objects}`, why]));
}

function textOf({ resource, verb, subresource, name }: NeededRight): string {
  const objects = groupResourceOf(resource) + (subresource === undefined ? '' : `/${subresource}`);
  return `${verb} ${objects}${name === undefined ? '' : ` ${name}`}`;
}

describe('a controller of a kind that need not be installed', () => {
  const definition = defineKind({
    name: 'spread',
    aliases: [],
    onByDefault: true,
    resource: nodePools,
    schema: async () => Promise.reject(new Error('not installed here')),
    reads: ['nodePools', 'cloneSets', 'kruiseKeptOff'],
    writes: [{ resource: cloneSets, verbs: ['delete'] }],
    create: () => {
      throw new Error('not made here');
    },
  });

  it('follows the one definition that the kind comes from, and needs its objects only where they are served; of one object, reads no other', () => {
    const ifServed = (right: NeededRight): string =>
      `${textOf(right)}${right.ifServed === true ? ', if served' : ''}`;
    expect(neededRights([definition]).map(ifServed)).toEqual([
      'get nodepools.apps.openyurt.io',
      'list nodepools.apps.openyurt.io',
      'watch nodepools.apps.openyurt.io',
      'list customresourcedefinitions.apiextensions.k8s.io clonesets.apps.kruise.io',
      'watch customresourcedefinitions.apiextensions.k8s.io clonesets.apps.kruise.io',
      'get clonesets.apps.kruise.io, if served',
      'list clonesets.apps.kruise.io, if served',
      'watch clonesets.apps.kruise.io, if served',
      'list validatingadmissionpolicybindings.admissionregistration.k8s.io united-deployments-without-kruise.atoll.dev',
      'watch validatingadmissionpolicybindings.admissionregistration.k8s.io united-deployments-without-kruise.atoll.dev',
      'delete clonesets.apps.kruise.io, if served',
    ]);
  });
});

describe('the roles of the operator', () => {
  const controllers = kindDefinitions.map(controllerRules);
  const roles = operatorClusterRoles(controllers);
  const [ofEvery, ...ofControllers] = roles;
  const rules = roles.flatMap((role) => role.rules ?? []);

  it('allow exactly what its controllers declare, and what is explained', () => {
    const needed = neededRights(kindDefinitions).map(textOf);
    const allowed = new Set(rightsOfRules(rules));
    expect([...allowed].sort()).toEqual([...needed, ...Object.keys(explained)].sort());
    const finalizers = Object.keys(explained).filter((right) => right.includes('/finalizers'));
    const ofNoController = Object.keys(explained).filter((right) => !finalizers.includes(right));
    expect([...rightsOfRules(ofEvery?.rules)].sort()).toEqual(ofNoController.sort());
  });

  it.each(kindDefinitions.map((definition, index) => ({ definition, role: ofControllers[index] })))(
    'let the controller $definition.name alone pass the preflight, and no right less would',
    ({ definition, role }) => {
      const needed = neededRights([definition]).map(textOf);
      const allowed = rightsOfRules(role?.rules).filter((right) => !right.includes('/finalizers'));
      expect([...allowed].sort()).toEqual([...needed].sort());
    },
  );

  // The cluster's own controller would write the rules of an aggregated role beside the person who installs it, and make it anew while it is removed.
  it('are written by nobody else', () => {
    expect(roles.filter(({ aggregationRule }) => aggregationRule !== undefined)).toEqual([]);
  });

  it('are bound, each by a binding of its name, to the account of the operator', () => {
    expect(
      operatorClusterRoleBindings(controllers).map(({ metadata, roleRef, subjects }) => [
        metadata.name,
        roleRef.name,
        subjects,
      ]),
    ).toEqual(
      roles.map(({ metadata: { name } }) => [
        name,
        name,
        [{ kind: 'ServiceAccount', name: 'atoll', namespace: 'atoll-system' }],
      ]),
    );
  });

  it('allow nothing by a wildcard', () => {
    const words = [...rules, ...(operatorRole.rules ?? [])].flatMap((rule) => [
      ...(rule.apiGroups ?? []),
      ...(rule.resources ?? []),
      ...rule.verbs,
    ]);
    expect(words.filter((word) => word.includes('*'))).toEqual([]);
  });

  it('allow its own Lease and its own Secret and no other', () => {
    const needed = leaseRights({ namespace: 'atoll-system', name: 'atoll' }).map(textOf);
    const secret = Object.keys(ofWebhooks('secrets atoll-webhook'));
    expect([...rightsOfRules(operatorRole.rules)].sort()).toEqual([...needed, ...secret].sort());
  });
});
