import { z } from 'zod';
import { unitedDeploymentModes } from '../names.ts';
import { defaultRevisionHistoryLimit } from '../pool-workload.ts';
import { condition } from './condition.ts';
import { labelSelector, templateMetadata } from './labels.ts';
import { atomicList, embedded, int32, int64, intOrString, listMap } from './markers.ts';

const podTemplate = embedded({
  metadata: templateMetadata.optional(),
  spec: embedded({}).optional(),
}).describe('The pods; the API server judges them when the children are written.');

function workloadTemplate<Shape extends z.ZodRawShape>(what: string, shape: Shape) {
  return z.strictObject({
    metadata: templateMetadata.describe(`Labels and annotations of every ${what}.`).optional(),
    spec: embedded({ template: podTemplate, ...shape }).describe(`The spec of every ${what}.`),
  });
}

const updateStrategy = embedded({
  type: z.string().optional(),
  rollingUpdate: embedded({}).optional(),
}).optional();

const template = z.strictObject({
  statefulSetTemplate: workloadTemplate('StatefulSet (apps/v1)', { updateStrategy })
    .describe('A StatefulSet (apps/v1) for every subset.')
    .optional(),
  advancedStatefulSetTemplate: workloadTemplate('Advanced StatefulSet (apps.kruise.io)', { updateStrategy })
    .describe('An Advanced StatefulSet (apps.kruise.io) for every subset.')
    .optional(),
  cloneSetTemplate: workloadTemplate('CloneSet (apps.kruise.io)', { updateStrategy })
    .describe('A CloneSet (apps.kruise.io) for every subset.')
    .optional(),
  deploymentTemplate: workloadTemplate('Deployment (apps/v1)', {})
    .describe('A Deployment (apps/v1) for every subset.')
    .optional(),
});

const nodeSelectorRequirement = z.strictObject({
  key: z.string(),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
  values: atomicList(z.string()).optional(),
});

export const subset = z.strictObject({
  name: z.string(),
  nodeSelectorTerm: z
    .strictObject({
      matchExpressions: atomicList(nodeSelectorRequirement).optional(),
      matchFields: atomicList(nodeSelectorRequirement).optional(),
    })
    .optional(),
  tolerations: atomicList(
    z.strictObject({
      key: z.string().optional(),
      operator: z.string().optional(),
      value: z.string().optional(),
      effect: z.string().optional(),
      tolerationSeconds: int64().optional(),
    }),
  ).optional(),
  replicas: intOrString().optional(),
  minReplicas: intOrString().optional(),
  maxReplicas: intOrString().optional(),
  patch: embedded({}).optional(),
});

export const unitedDeploymentSpec = z.strictObject({
  replicas: int32().min(0).optional(),
  selector: labelSelector(),
  template: template.optional(),
  topology: z
    .strictObject({
      subsets: listMap(subset, 'name').optional(),
      scheduleStrategy: z
        .strictObject({
          type: z.enum(unitedDeploymentModes).optional(),
          adaptive: z
            .strictObject({
              rescheduleCriticalSeconds: int32().min(0).optional(),
              unschedulableDuration: int32().min(0).optional(),
              unschedulableLastSeconds: int32().min(0).optional(),
              reserveUnschedulablePods: z.boolean().optional(),
            })
            .optional(),
        })
        .optional(),
    })
    .optional(),
  updateStrategy: z
    .strictObject({
      type: z.enum(['', 'Manual']).default('Manual'),
      manualUpdate: z.strictObject({ partitions: z.record(z.string(), int32()).optional() }).prefault({}),
    })
    .prefault({}),
  revisionHistoryLimit: int32().min(0).default(defaultRevisionHistoryLimit),
});

const counts = z.record(z.string(), int32());

const subsetStatus = z.strictObject({
  name: z.string().describe('The subset.'),
  replicas: int32().describe('How many pods the child has; reserved ones are not counted.').optional(),
  readyReplicas: int32().optional(),
  updatedReplicas: int32().optional(),
  availableReplicas: int32().optional(),
  partition: int32().describe('How many pods stay at the older revision.').optional(),
  reservedPods: int32().describe('Pods that wait for room here and run elsewhere meanwhile.').optional(),
  workloadName: z.string().describe('The child of this subset; absent as long as there is none.').optional(),
  revision: z.string().describe('The ControllerRevision that the child carries.').optional(),
  observedGeneration: int64().describe('The generation of the child that these counts speak of.').optional(),
  conditions: atomicList(condition).optional(),
});

export const unitedDeploymentStatus = z
  .strictObject({
    observedGeneration: int64().describe('The generation of the spec that this status speaks of.').optional(),
    replicas: int32().describe('How many pods the subsets have; reserved ones are not counted.').optional(),
    readyReplicas: int32().optional(),
    updatedReplicas: int32().optional(),
    updatedReadyReplicas: int32().optional(),
    reservedPods: int32().optional(),
    collisionCount: int32().describe('How often the name of a revision was taken.').optional(),
    currentRevision: z.string().describe('The revision that every subset has reached.').optional(),
    updatedRevision: z.string().describe('The revision of the template as it is now (v1beta1).').optional(),
    updateStatus: z
      .strictObject({
        updatedRevision: z.string().optional(),
        currentPartitions: counts.optional(),
      })
      .describe('The same and the partitions in the shape of v1alpha1.')
      .optional(),
    subsetReplicas: counts.describe('How many replicas each subset is to have (v1alpha1).').optional(),
    subsetStatuses: listMap(subsetStatus, 'name').optional(),
    conditions: atomicList(condition).optional(),
    labelSelector: z.string().describe('Selects the pods that count, for autoscalers.').optional(),
  })
  .describe('What is true of the UnitedDeployment now.');
