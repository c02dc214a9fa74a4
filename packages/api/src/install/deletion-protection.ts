import { deleteProtections, kruiseGroup, labels } from '../names.ts';
import { unitedDeployments } from '../united-deployment.ts';
import { matchConstraints } from './match-constraints.ts';
import { policy, policyBinding } from './policy.ts';

const name = 'protected-uniteddeployments.atoll.dev';
const { always, cascading } = deleteProtections;

/**
 * Refuses to delete a UnitedDeployment that a label protects, as Kruise does with its feature gate
 * `ResourcesDeletionProtection` (`reference/uniteddeployment.md` 1.6). A policy, so that it also holds while the operator
 * is down: an object that is gone takes all its pods with it. Taking the label off is the way out.
 */
export const deletionProtectionPolicy = policy(name, {
  failurePolicy: 'Fail',
  matchConstraints: matchConstraints([
    {
      apiGroups: [kruiseGroup],
      apiVersions: ['*'],
      resources: [unitedDeployments.plural],
      operations: ['DELETE'],
    },
  ]),
  variables: [
    {
      name: 'protection',
      expression: `oldObject.metadata.?labels[?'${labels.deleteProtection}'].orValue('')`,
    },
    // Left out, the total is the sum of the subsets, or 1.
    { name: 'replicas', expression: 'oldObject.spec.?replicas.orValue(1)' },
  ],
  validations: [
    {
      expression: `variables.protection != '${always}'`,
      message: 'a protected UnitedDeployment must not be deleted',
      messageExpression:
        `'UnitedDeployment ' + oldObject.metadata.name + ' is protected from deletion: ` +
        `take the label ${labels.deleteProtection}=${always} off first'`,
      reason: 'Forbidden',
    },
    {
      expression: `variables.protection != '${cascading}' || variables.replicas == 0`,
      message: 'a protected UnitedDeployment that has replicas must not be deleted',
      messageExpression:
        `'UnitedDeployment ' + oldObject.metadata.name + ' is protected from deletion as long as it has replicas: ` +
        `scale it to 0 or take the label ${labels.deleteProtection}=${cascading} off first'`,
      reason: 'Forbidden',
    },
  ],
});

export const deletionProtectionPolicyBinding = policyBinding(deletionProtectionPolicy);
