import { z } from 'zod';
import { extendedDaemonsetSettings } from '../../extended-daemon-set/extended-daemonset-setting.ts';
import { unseenAtFirst } from '../condition.ts';
import { columnsForEveryKind, type KindDefinition } from '../custom-resource-definition.ts';
import { labelSelector } from '../labels.ts';
import { int64, keptOnly, listMap, quantity } from '../markers.ts';
import { extendedConditions } from './condition.ts';

const quantities = z.record(z.string(), quantity());

const resources = z.strictObject({
  limits: quantities.describe('The most that the container may use.').optional(),
  requests: quantities.describe('What the scheduler reserves for the container.').optional(),
  claims: listMap(
    z.strictObject({
      name: z.string().describe('An entry in spec.resourceClaims of the pod.'),
      request: z.string().describe('One request of the claim; all where left out.').optional(),
    }),
    'name',
  )
    .describe('The claims of the pod that the container uses.')
    .optional(),
});

const container = z
  .strictObject({
    name: z.string().describe('The container of the template.'),
    resources: resources.describe('Take the place of the resources of the container as a whole.').optional(),
    env: listMap(
      z.strictObject({
        name: z.string().describe('The name of the variable.'),
        value: z.string().describe('Its value.'),
      }),
      'name',
    )
      .describe("Variables that are added, or take the place of the template's of the same name.")
      .optional(),
  })
  .meta({
    'x-kubernetes-validations': [
      { rule: 'has(self.resources) || has(self.env)', message: 'resources or env is needed' },
    ],
  });

export const extendedDaemonsetSettingSpec = z
  .strictObject({
    reference: z
      .strictObject({
        apiVersion: z.string().describe(keptOnly('The API version of the ExtendedDaemonSet.')).optional(),
        kind: z.string().describe(keptOnly('ExtendedDaemonSet.')),
        name: z.string().describe('The name of the ExtendedDaemonSet.'),
      })
      .meta({ 'x-kubernetes-map-type': 'atomic' })
      .describe('The ExtendedDaemonSet in the same namespace; only the name is read.'),
    nodeSelector: labelSelector().describe('The nodes of the setting; an empty selector selects all.'),
    containers: listMap(container, 'name')
      .describe('The containers that get other resources or variables on these nodes.')
      .optional(),
    initContainers: listMap(container, 'name')
      .describe('The same for the init containers of the template.')
      .optional(),
  })
  .describe('Which containers get which resources and variables, on which nodes.');

export const extendedDaemonsetSettingStatus = z
  .strictObject({
    observedGeneration: int64().describe('The generation of the spec that this status is of.').optional(),
    status: z.string().describe('valid or error; empty before the operator has looked.'),
    error: z.string().describe('What is wrong, where the status is error.').optional(),
    conditions: extendedConditions.optional(),
  })
  .describe('Whether the setting is used.')
  .meta({ default: { status: '', ...unseenAtFirst.default } });

export const extendedDaemonsetSettingKind: KindDefinition = {
  resource: extendedDaemonsetSettings,
  description:
    'Resources and variables of the containers of an ExtendedDaemonSet on the nodes that a selector matches.',
  spec: extendedDaemonsetSettingSpec,
  status: extendedDaemonsetSettingStatus,
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      columns: [
        { name: 'status', type: 'string', jsonPath: '.status.status' },
        { name: 'node selector', type: 'string', jsonPath: '.spec.nodeSelector' },
        { name: 'error', type: 'string', jsonPath: '.status.error' },
        { name: 'age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ...columnsForEveryKind,
      ],
    },
  ],
};
