import { z } from 'zod';
import { condition, conditionsDescription, unseenAtFirst } from './condition.ts';
import { atomicList, int32, int64 } from './markers.ts';

const counts = z.record(z.string(), int32());

const subsetStatus = z.strictObject({
  name: z.string().describe('The subset.'),
  replicas: int32().describe('How many pods the child has, reserved ones included.').optional(),
  readyReplicas: int32().describe('How many of these are Ready.').optional(),
  updatedReplicas: int32().describe('How many of these are of the newest template.').optional(),
  availableReplicas: int32().describe('How many of these are available.').optional(),
  partition: int32().describe('How many pods stay at the older revision.').optional(),
  reservedPods: int32().describe('Pods that wait for room here and run elsewhere meanwhile.').optional(),
  workloadName: z.string().describe('The child of this subset; absent as long as there is none.').optional(),
  revision: z.string().describe('The ControllerRevision that the child carries.').optional(),
  observedGeneration: int64().describe('The generation of the child that these counts are of.').optional(),
  conditions: atomicList(condition)
    .describe('Schedulable is False while pods of the subset find no node.')
    .optional(),
});

export const unitedDeploymentStatus = z
  .strictObject({
    observedGeneration: int64().describe('The generation of the spec that this status is of.').optional(),
    replicas: int32().describe('How many pods the subsets have; reserved ones are not counted.').optional(),
    readyReplicas: int32().describe('How many of these are Ready.').optional(),
    updatedReplicas: int32().describe('How many pods are of the revision as it is now.').optional(),
    updatedReadyReplicas: int32().describe('How many of these are Ready.').optional(),
    reservedPods: int32().describe('Pods that wait for room, with a substitute elsewhere.').optional(),
    collisionCount: int32().describe('How often the name of a revision was taken.').optional(),
    currentRevision: z
      .string()
      .describe(
        'The revision that every subset reached last, or, before that, the first that one was made of.',
      )
      .optional(),
    updatedRevision: z
      .string()
      .describe('The revision of the template as it is now, where v1beta1 has it.')
      .optional(),
    updateStatus: z
      .strictObject({
        updatedRevision: z.string().describe('The revision of the template as it is now.').optional(),
        currentPartitions: counts
          .describe('How many pods of each subset stay at the older revision.')
          .optional(),
      })
      .describe('How far the update is, where v1alpha1 has it.')
      .optional(),
    subsetReplicas: counts
      .describe('How many replicas each subset is to have, where v1alpha1 has it.')
      .optional(),
    subsetStatuses: atomicList(subsetStatus).describe('Each subset, in the order of the spec.').optional(),
    conditions: atomicList(condition).describe(conditionsDescription).optional(),
    labelSelector: z.string().describe('Selects the pods that count, for autoscalers.').optional(),
  })
  .describe('What is true of the UnitedDeployment now.')
  .meta(unseenAtFirst);
