import { z } from 'zod';
import { kruiseGroup } from '../names.ts';
import { templateMetadata } from './labels.ts';
import { described, embedded, int32, ratcheted, rules } from './markers.ts';
import { cloneSetFields, deploymentFields, statefulSetFields } from './template-fields.ts';
import { claimsAreKept, commonPodTemplate, immutable, volumeClaimTemplates } from './workload-template.ts';

const replicasOfTemplate = int32().describe(
  'Must be left out: the total is spec.replicas, and the subsets spread it.',
);

const noReplicas = ratcheted(
  (self) => `!has(${self}.replicas)`,
  'replicas must be left out: the total is spec.replicas, and the subsets spread it',
  { fieldPath: '.replicas' },
);

const noPartition = ratcheted(
  (self) =>
    `!has(${self}.updateStrategy) || !has(${self}.updateStrategy.rollingUpdate) || ` +
    `!has(${self}.updateStrategy.rollingUpdate.partition) || ` +
    `(has(${self}.updateStrategy.type) && ${self}.updateStrategy.type == 'OnDelete')`,
  'partition must be left out: partitions are in spec.updateStrategy.manualUpdate.partitions, by subset',
  { fieldPath: '.updateStrategy.rollingUpdate.partition' },
);

const fieldsOfStatefulSets = {
  ...described(statefulSetFields),
  replicas: replicasOfTemplate.optional(),
  template: commonPodTemplate,
  serviceName: z.string().describe('The headless Service of the pods. Immutable.').optional(),
  podManagementPolicy: z.string().describe('OrderedReady where left out, or Parallel. Immutable.').optional(),
  volumeClaimTemplates: volumeClaimTemplates.optional(),
  updateStrategy: embedded({
    type: z.string().describe('RollingUpdate where left out, or OnDelete.').optional(),
    rollingUpdate: embedded({
      partition: int32().describe('Must be left out.').optional(),
    })
      .describe('The limits of an update; partitions are those of the subsets.')
      .optional(),
  })
    .describe('How the child of a subset updates its pods.')
    .optional(),
};

const statefulSetRules = rules(
  ...noReplicas,
  ...noPartition,
  immutable('serviceName', `''`),
  immutable('podManagementPolicy', `'OrderedReady'`),
  claimsAreKept(),
);

const members = [
  'statefulSetTemplate',
  'advancedStatefulSetTemplate',
  'cloneSetTemplate',
  'deploymentTemplate',
];
const onlyOne = `exactly one of ${members.slice(0, -1).join(', ')} and ${members.at(-1)} must be given`;
/** The names of those that are given. */
const given = `[${members.map((name) => `has(self.${name}) ? '${name}' : ''`).join(', ')}].filter(name, name != '')`;

/**
 * The specs of all four hold what is given. Those of Kruise too: their CRDs differ from release to release (a CloneSet
 * has its partition in one of two places), and a copy of one of them would drop fields of the others. The controller that serves the
 * kind judges it, when the children are tried and when they are written.
 */
export const unitedDeploymentTemplate = z
  .strictObject({
    statefulSetTemplate: z
      .strictObject({
        metadata: templateMetadata.describe('Labels and annotations of the StatefulSets.').optional(),
        spec: embedded(fieldsOfStatefulSets).describe('An apps/v1 StatefulSetSpec.').meta(statefulSetRules),
      })
      .describe('A StatefulSet for every subset.')
      .optional(),
    advancedStatefulSetTemplate: z
      .strictObject({
        metadata: templateMetadata
          .describe('Labels and annotations of the Advanced StatefulSets.')
          .optional(),
        spec: embedded(fieldsOfStatefulSets)
          .describe(`The spec of a StatefulSet of ${kruiseGroup}/v1beta1.`)
          .meta(statefulSetRules),
      })
      .describe('An Advanced StatefulSet for every subset; needs OpenKruise.')
      .optional(),
    cloneSetTemplate: z
      .strictObject({
        metadata: templateMetadata.describe('Labels and annotations of the CloneSets.').optional(),
        spec: embedded({ ...described(cloneSetFields), template: commonPodTemplate }).describe(
          `The spec of a CloneSet of ${kruiseGroup}/v1alpha1 or v1beta1.`,
        ),
      })
      .describe('A CloneSet for every subset; needs OpenKruise.')
      .optional(),
    deploymentTemplate: z
      .strictObject({
        metadata: templateMetadata.describe('Labels and annotations of the Deployments.').optional(),
        spec: embedded({
          ...described(deploymentFields),
          replicas: replicasOfTemplate.optional(),
          template: commonPodTemplate,
        })
          .describe('An apps/v1 DeploymentSpec.')
          .meta(rules(...noReplicas)),
      })
      .describe('A Deployment for every subset.')
      .optional(),
  })
  .meta(
    rules(
      ...ratcheted(
        (self) =>
          `[${members.map((name) => `has(${self}.${name})`).join(', ')}].filter(given, given).size() == 1`,
        onlyOne,
        {
          messageExpression: `'${onlyOne}' + (${given}.size() < 2 ? '' : ', and ' + ${given}[0] + ' and ' + ${given}[1] + ' are')`,
        },
      ),
    ),
  );
