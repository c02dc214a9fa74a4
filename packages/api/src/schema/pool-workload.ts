import { z } from 'zod';
import { defaultRevisionHistoryLimit } from '../pool-workload.ts';
import { condition, conditionsDescription, unseenAtFirst } from './condition.ts';
import { labelSelector, templateMetadata } from './labels.ts';
import { atomicList, cel, described, embedded, int32, int64, ratcheted, rules } from './markers.ts';
import { deploymentFields, statefulSetFields } from './template-fields.ts';
import {
  claimsAreKept,
  immutable,
  labelsMatchSelector,
  podTemplate,
  volumeClaimTemplates,
} from './workload-template.ts';

const replicas = int32()
  .min(0)
  .describe('The replicas of each pool. Left out, they are never written, and an autoscaler may own them.')
  .optional();

const deploymentTemplate = z.strictObject({
  metadata: templateMetadata.describe('Labels and annotations of the Deployments.').optional(),
  spec: embedded({ ...described(deploymentFields), replicas, template: podTemplate }).describe(
    'An apps/v1 DeploymentSpec.',
  ),
});

const statefulSetTemplate = z.strictObject({
  metadata: templateMetadata.describe('Labels and annotations of the StatefulSets.').optional(),
  spec: embedded({
    ...described(statefulSetFields),
    replicas,
    template: podTemplate,
    serviceName: z.string().describe('The headless Service of the pods. Immutable.').optional(),
    podManagementPolicy: z
      .string()
      .describe('OrderedReady where left out, or Parallel. Immutable.')
      .optional(),
    volumeClaimTemplates: volumeClaimTemplates.optional(),
    updateStrategy: embedded({
      rollingUpdate: embedded({
        partition: int32()
          .describe('Must be 0 or left out.')
          .meta(
            rules(cel('self == 0', 'partition must be 0 or left out: a pool is always updated as a whole')),
          )
          .optional(),
      })
        .describe('The limits of an update; a pool is always updated as a whole.')
        .optional(),
    })
      .describe('How the StatefulSet of a pool updates its pods.')
      .optional(),
  })
    .describe('An apps/v1 StatefulSetSpec.')
    .meta(
      rules(
        immutable('serviceName', `''`),
        immutable('podManagementPolicy', `'OrderedReady'`),
        claimsAreKept(),
      ),
    ),
});

const workloadTemplate = z
  .strictObject({
    deploymentTemplate: deploymentTemplate.describe('A Deployment in every selected pool.').optional(),
    statefulSetTemplate: statefulSetTemplate.describe('A StatefulSet in every selected pool.').optional(),
  })
  .meta(
    rules(
      ...ratcheted(
        (self) => `has(${self}.deploymentTemplate) != has(${self}.statefulSetTemplate)`,
        'exactly one of deploymentTemplate and statefulSetTemplate must be given',
      ),
    ),
  );

export const poolWorkloadSpec = z
  .strictObject({
    selector: labelSelector(
      cel(
        'self.?matchLabels.orValue({}).size() + self.?matchExpressions.orValue([]).size() > 0',
        'selector must not be empty: give at least one entry in matchLabels or matchExpressions',
      ),
      cel('self == oldSelf', 'selector is immutable: delete the object and create it anew'),
    ).describe('Selects the children and their pods; the labels of the template must match it. Immutable.'),
    workloadTemplate: workloadTemplate.describe(
      'What runs in every selected pool: exactly one kind of workload.',
    ),
    nodepoolSelector: labelSelector().describe(
      'Selects NodePools by their labels; an empty selector selects all.',
    ),
    revisionHistoryLimit: int32()
      .min(0)
      .default(defaultRevisionHistoryLimit)
      .describe(
        'How many revisions of the template are kept to roll back to, those in use included; these are never removed.',
      ),
  })
  .describe('What runs in which pools.')
  .meta(
    rules(
      ...labelsMatchSelector('workloadTemplate.deploymentTemplate', ['metadata', 'labels']),
      ...labelsMatchSelector('workloadTemplate.deploymentTemplate', [
        'spec',
        'template',
        'metadata',
        'labels',
      ]),
      ...labelsMatchSelector('workloadTemplate.statefulSetTemplate', ['metadata', 'labels']),
      ...labelsMatchSelector('workloadTemplate.statefulSetTemplate', [
        'spec',
        'template',
        'metadata',
        'labels',
      ]),
    ),
  );

const workloadSummary = z.strictObject({
  availableCondition: z.string().describe('The status of the Available condition of the child.'),
  replicas: int32().describe('How many pods the child wants.'),
  readyReplicas: int32().describe('How many of its pods are Ready.'),
  workloadName: z.string().describe('The child.'),
});

const poolSummary = z.strictObject({
  name: z.string().describe('The pool.'),
  workloadName: z.string().describe('The child in this pool; absent as long as there is none.').optional(),
  revision: z.string().describe('The ControllerRevision that the child carries.').optional(),
  replicas: int32().describe('How many pods the child wants.').optional(),
  readyReplicas: int32().describe('How many of its pods are Ready.').optional(),
  updatedReplicas: int32().describe('How many of its pods are of the newest template.').optional(),
  availableReplicas: int32().describe('How many of its pods are available.').optional(),
  observedGeneration: int64().describe('The generation of the child that these counts are of.').optional(),
});

export const poolWorkloadStatus = z
  .strictObject({
    observedGeneration: int64().describe('The generation of the spec that this status is of.').optional(),
    collisionCount: int32().describe('How often the name of a revision was taken.').optional(),
    currentRevision: z.string().describe('The revision that every pool has reached.').optional(),
    updateRevision: z.string().describe('The revision of the template as it is now.').optional(),
    conditions: atomicList(condition).describe(conditionsDescription).optional(),
    overriderRef: z.string().describe('Written by older releases of OpenYurt.').optional(),
    templateType: z.string().describe('Deployment or StatefulSet.').optional(),
    nodepools: atomicList(z.string()).describe('The names of the selected pools, sorted.').optional(),
    workloadSummary: atomicList(workloadSummary).describe('The children, sorted by name.').optional(),
    pools: atomicList(poolSummary).describe('The child in each selected pool, sorted by pool.').optional(),
  })
  .describe('What is true of the workload now.')
  .meta(unseenAtFirst);
