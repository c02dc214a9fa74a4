import { agentUser } from '../agent-names.ts';
import { daemonSetUpdate } from '../names.ts';
import { matchConstraints } from './match-constraints.ts';
import { agentLabels } from './own-labels.ts';
import { policy, policyBinding } from './policy.ts';

const name = 'node-agents.atoll.dev';
const { needUpgrade, imageReady } = daemonSetUpdate.podConditions;

/** The node that the API server has bound the caller's token to, when it issued the token for a pod there. */
const nodeOfToken = `request.userInfo.?extra[?'authentication.kubernetes.io/node-name'].orValue([])`;

const conditionsBesides = (object: string): string =>
  `${object}.?status.?conditions.orValue([]).filter(c, c.type != '${imageReady}')`;
const same = (field: string, absent: string): string =>
  `object.${field}.orValue(${absent}) == oldObject.${field}.orValue(${absent})`;

/**
 * What RBAC cannot express of the node agents' ServiceAccount: an agent changes pods of its own node only, only those that a DaemonSet
 * has and whose condition asks for an upgrade, and of their status one condition. A token that is bound to no node changes nothing.
 * What an agent may read cannot be limited so: it may list the pods of all nodes.
 */
export const agentPolicy = policy(
  name,
  {
    failurePolicy: 'Fail',
    matchConstraints: matchConstraints([
      {
        apiGroups: [''],
        apiVersions: ['*'],
        resources: ['pods', 'pods/*'],
        operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
      },
    ]),
    matchConditions: [
      {
        name: 'by-a-node-agent',
        expression: `request.userInfo.username == '${agentUser}'`,
      },
    ],
    validations: [
      {
        expression:
          `request.operation == 'DELETE' && request.?subResource.orValue('') == '' || ` +
          `request.operation == 'UPDATE' && request.?subResource.orValue('') == 'status'`,
        message: 'a node agent may delete pods and change their status, nothing else',
        reason: 'Forbidden',
      },
      {
        expression: `oldObject != null && oldObject.spec.?nodeName.orValue('') != '' && ${nodeOfToken} == [oldObject.spec.nodeName]`,
        message: 'a node agent may change only pods of the node that its token is bound to',
        reason: 'Forbidden',
      },
      {
        expression:
          `oldObject != null && oldObject.?status.?conditions.orValue([])` +
          `.exists(c, c.type == '${needUpgrade}' && c.status == 'True')`,
        message: `a node agent may change only pods whose condition ${needUpgrade} is True`,
        reason: 'Forbidden',
      },
      {
        expression:
          `request.operation != 'DELETE' || oldObject.metadata.?ownerReferences.orValue([])` +
          `.exists(o, o.apiVersion == 'apps/v1' && o.kind == 'DaemonSet' && o.?controller.orValue(false))`,
        message: 'a node agent may delete only pods that a DaemonSet controls',
        reason: 'Forbidden',
      },
      {
        // The status subresource takes changes of the metadata too.
        expression: `request.operation != 'UPDATE' || (${[
          same('metadata.?labels', '{}'),
          same('metadata.?annotations', '{}'),
          same('metadata.?finalizers', '[]'),
          same('metadata.?ownerReferences', '[]'),
        ].join(' && ')})`,
        message: 'a node agent must not change the metadata of pods',
        reason: 'Forbidden',
      },
      {
        expression:
          `request.operation != 'UPDATE' || (` +
          `object.status.all(f, f == 'conditions' || f in oldObject.status && object.status[f] == oldObject.status[f]) && ` +
          `oldObject.status.all(f, f == 'conditions' || f in object.status) && ` +
          `${conditionsBesides('object')} == ${conditionsBesides('oldObject')})`,
        message: `a node agent may change only the condition ${imageReady} of a pod's status`,
        reason: 'Forbidden',
      },
      {
        // That an image was pulled is recorded by the one that has pulled it.
        expression:
          `request.operation != 'UPDATE' || object.?status.?conditions.orValue([])` +
          `.all(c, c.type != '${imageReady}' || c.status == 'False')`,
        message: `a node agent may set the condition ${imageReady} to False only`,
        reason: 'Forbidden',
      },
    ],
  },
  agentLabels,
);

export const agentPolicyBinding = policyBinding(agentPolicy);
