import { advancedStatefulSets } from '../kruise/advanced-stateful-set.ts';
import { cloneSets } from '../kruise/clone-set.ts';
import { kruiseGroup, kruiseKeptOffPolicy, kruiseManager, labels } from '../names.ts';
import { unitedDeployments } from '../united-deployment.ts';
import { matchConstraints } from './match-constraints.ts';
import { policy, policyBinding } from './policy.ts';

const writes = ['CREATE', 'UPDATE', 'DELETE'];

/**
 * Refuses what Kruise's UnitedDeployment controller writes, and nothing else of Kruise's manager: since 1.0 that
 * controller has no switch, and CloneSets and Advanced StatefulSets, which may be children of ours, need the manager.
 * Only for clusters that want both; nothing installs it by itself.
 *
 * Of a child, Kruise's own controllers write `status` (another resource), metadata, and what of the spec is meant for them
 * once (`podsToDelete`); what a UnitedDeployment decides is template, replicas, and update strategy.
 */
export const kruisePolicy = policy(kruiseKeptOffPolicy, {
  failurePolicy: 'Fail',
  matchConstraints: matchConstraints([
    {
      apiGroups: [kruiseGroup],
      apiVersions: ['*'],
      resources: [`${unitedDeployments.plural}/status`],
      operations: ['UPDATE'],
    },
    {
      apiGroups: ['apps'],
      apiVersions: ['*'],
      resources: ['controllerrevisions', 'deployments', 'statefulsets'],
      operations: writes,
    },
    {
      apiGroups: [kruiseGroup],
      apiVersions: ['*'],
      resources: [cloneSets.plural, advancedStatefulSets.plural],
      operations: writes,
    },
    { apiGroups: [''], apiVersions: ['*'], resources: ['pods'], operations: ['UPDATE'] },
  ]),
  matchConditions: [
    {
      name: 'kruise-manager',
      expression:
        `request.userInfo.username == '${kruiseManager.olderUser}' || ` +
        `request.userInfo.username.matches('^system:serviceaccount:[^:]+:${kruiseManager.serviceAccount}$')`,
    },
  ],
  variables: [
    { name: 'either', expression: 'object == null ? oldObject : object' },
    {
      name: 'ofUnitedDeployment',
      expression:
        `variables.either.metadata.?ownerReferences.orValue([]).exists(owner, ` +
        `owner.?controller.orValue(false) && owner.kind == '${unitedDeployments.kind}' && ` +
        `owner.apiVersion.startsWith('${kruiseGroup}/'))`,
    },
    {
      name: 'decided',
      expression:
        `request.operation != 'UPDATE' || request.resource.group != '${kruiseGroup}' || ` +
        `object.metadata.?ownerReferences != oldObject.metadata.?ownerReferences || ` +
        `['template', 'replicas', 'updateStrategy'].exists(field, ` +
        `object.spec[?field] != oldObject.spec[?field])`,
    },
    {
      name: 'marked',
      expression:
        `object != null && oldObject != null && ` +
        `object.metadata.?labels[?'${labels.reservedPod}'] != oldObject.metadata.?labels[?'${labels.reservedPod}']`,
    },
  ],
  validations: [
    {
      expression:
        `request.resource.resource == '${unitedDeployments.plural}' ? false : ` +
        `request.resource.resource == 'pods' ? !variables.marked : ` +
        `!(variables.ofUnitedDeployment && variables.decided)`,
      message: 'Atoll serves UnitedDeployments in this cluster; the manager of Kruise is kept off them',
      reason: 'Forbidden',
    },
  ],
});

export const kruisePolicyBinding = policyBinding(kruisePolicy);
