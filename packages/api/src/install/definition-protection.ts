import { definitionName, type ValidatingAdmissionPolicy } from '@atoll/kube';
import { annotations } from '../names.ts';
import { keptByTools } from '../schema/kept-by-tools.ts';
import { kinds } from '../schema/kinds.ts';
import { matchConstraints } from './match-constraints.ts';
import { policy, policyBinding } from './policy.ts';

const name = 'definitions.atoll.dev';
const definitions = kinds.map(({ resource }) => `'${definitionName(resource)}'`);

/**
 * Refuses to delete the definition of a kind of ours. All objects of the kind would go with it, and then their children and pods:
 * `kubectl delete -f deploy/install.yaml`, or the removal of another operator that has the same definitions, would end a fleet.
 * Whether there are objects cannot be asked: parameters of a policy for what is in no namespace cannot be in all namespaces.
 * By name of the object and not of the request, which has none where a collection is deleted.
 */
const protection = policy(name, {
  failurePolicy: 'Fail',
  matchConstraints: matchConstraints([
    {
      apiGroups: ['apiextensions.k8s.io'],
      apiVersions: ['*'],
      resources: ['customresourcedefinitions'],
      operations: ['DELETE'],
    },
  ]),
  matchConditions: [
    {
      name: 'definition-of-atoll',
      expression: `oldObject.metadata.name in [${definitions.join(', ')}]`,
    },
  ],
  validations: [
    {
      expression: `oldObject.metadata.?annotations[?'${annotations.allowDeletion}'].orValue('') == 'true'`,
      message: 'a definition of Atoll must not be deleted',
      messageExpression:
        `'with the definition ' + oldObject.metadata.name + ' all its objects would be deleted, and their workloads and pods. ` +
        `To keep what runs, take the steps of docs/operating/remove.md ("Keep what runs"). ` +
        `To delete it all the same, annotate it with ${annotations.allowDeletion}=true'`,
      reason: 'Forbidden',
    },
  ],
});

/** Tools keep it as they keep the definitions. */
export const definitionPolicy: ValidatingAdmissionPolicy = {
  ...protection,
  metadata: { ...protection.metadata, annotations: keptByTools },
};

export const definitionPolicyBinding = policyBinding(definitionPolicy);
