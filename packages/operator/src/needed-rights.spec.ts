import { describe, expect, it } from 'vitest';
import { operatorClusterRole, operatorRole } from '@atoll/api/install';
import { groupResourceOf, type PolicyRule } from '@atoll/kube';
import { controllerDefinitions } from './controllers.ts';
import { leaseRights, neededRights } from './needed-rights.ts';
import type { NeededRight } from './preflight.ts';

/** Allowed besides what the controllers declare, and why. */
const explained = {
  'create events.events.k8s.io': 'the event recorder; nothing stops where it may not',
  'patch events.events.k8s.io': 'the event recorder counts repetitions in the event that is there',
  'update uniteddaemonsets.apps.openyurt.io/finalizers':
    'blockOwnerDeletion of children, where it is enforced',
  'update yurtappdaemons.apps.openyurt.io/finalizers': 'blockOwnerDeletion of children, where it is enforced',
  ...ofWebhooks('mutatingwebhookconfigurations.admissionregistration.k8s.io atoll'),
  ...ofWebhooks('validatingwebhookconfigurations.admissionregistration.k8s.io atoll'),
};

function ofWebhooks(objects: string): Readonly<Record<string, string>> {
  const why = 'webhooks, without which everything else goes on';
  return Object.fromEntries(['get', 'create', 'patch'].map((verb) => [`${verb} ${objects}`, why]));
}

function allowedBy(rules: readonly PolicyRule[] = []): readonly string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], resourceNames = ['*'], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => {
        const [plural = '', subresource] = resource.split('/');
        const objects = group === '' ? plural : `${plural}.${group}`;
        const whole = subresource === undefined ? objects : `${objects}/${subresource}`;
        return resourceNames.flatMap((name) =>
          verbs.map((verb) => `${verb} ${whole}${name === '*' ? '' : ` ${name}`}`),
        );
      }),
    ),
  );
}

function textOf({ resource, verb, subresource, name }: NeededRight): string {
  const objects = groupResourceOf(resource) + (subresource === undefined ? '' : `/${subresource}`);
  return `${verb} ${objects}${name === undefined ? '' : ` ${name}`}`;
}

describe('the roles of the operator', () => {
  it('allow exactly what its controllers declare, and what is explained', () => {
    const needed = neededRights(controllerDefinitions).map(textOf);
    expect([...allowedBy(operatorClusterRole.rules)].sort()).toEqual(
      [...needed, ...Object.keys(explained)].sort(),
    );
  });

  it('allow nothing by a wildcard', () => {
    const words = [...(operatorClusterRole.rules ?? []), ...(operatorRole.rules ?? [])].flatMap((rule) => [
      ...(rule.apiGroups ?? []),
      ...(rule.resources ?? []),
      ...rule.verbs,
    ]);
    expect(words.filter((word) => word.includes('*'))).toEqual([]);
  });

  it('allow its own Lease and its own Secret and no other', () => {
    const needed = leaseRights({ namespace: 'atoll-system', name: 'atoll' }).map(textOf);
    const secret = Object.keys(ofWebhooks('secrets atoll-webhook'));
    expect([...allowedBy(operatorRole.rules)].sort()).toEqual([...needed, ...secret].sort());
  });
});
