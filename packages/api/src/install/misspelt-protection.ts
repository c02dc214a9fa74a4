import { deleteProtections, kruiseGroup, labels } from '../names.ts';
import { unitedDeployments } from '../united-deployment.ts';
import { matchConstraints } from './match-constraints.ts';
import { policy, policyBinding } from './policy.ts';

const name = 'misspelt-delete-protection.atoll.dev';
const { deleteProtection } = labels;
const { always, cascading } = deleteProtections;

/**
 * Warns of a label that is meant to protect a UnitedDeployment from deletion and does not, as `always` in small letters. A
 * warning only, as with Kruise any value may be stored; by a policy, so that it also warns where webhooks are off.
 */
export const misspeltProtectionPolicy = policy(name, {
  failurePolicy: 'Ignore',
  // With the selector it costs nothing where the label is absent or right. On an update it is enough that the old object matches.
  matchConstraints: matchConstraints(
    [
      {
        apiGroups: [kruiseGroup],
        apiVersions: ['*'],
        resources: [unitedDeployments.plural],
        operations: ['CREATE', 'UPDATE'],
      },
    ],
    {
      matchExpressions: [
        { key: deleteProtection, operator: 'Exists' },
        { key: deleteProtection, operator: 'NotIn', values: [always, cascading, ''] },
      ],
    },
  ),
  variables: [
    { name: 'protection', expression: `object.metadata.?labels[?'${deleteProtection}'].orValue('')` },
  ],
  validations: [
    {
      expression: `variables.protection in ['${always}', '${cascading}', '']`,
      message: `the label ${deleteProtection} protects nothing: it must be ${always} or ${cascading}`,
      messageExpression:
        `'the label ${deleteProtection}=' + variables.protection + ' does not protect UnitedDeployment ' + ` +
        `object.metadata.name + ' from deletion: its value must be ${always} or ${cascading}'`,
    },
  ],
});

export const misspeltProtectionPolicyBinding = policyBinding(misspeltProtectionPolicy, 'Warn');
