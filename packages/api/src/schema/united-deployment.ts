import { z } from 'zod';
import { unitedDeploymentModes } from '../names.ts';
import { defaultRevisionHistoryLimit } from '../pool-workload.ts';
import { adaptiveDefaults, unitedDeployments } from '../united-deployment.ts';
import type { KindDefinition, PrinterColumn } from './custom-resource-definition.ts';
import { labelSelector } from './labels.ts';
import { cel, int32, listMap, ratcheted, rules, type CelRule } from './markers.ts';
import { demandRules, maxSubsets, subset } from './subset.ts';
import { unitedDeploymentStatus } from './united-deployment-status.ts';
import { unitedDeploymentTemplate } from './united-deployment-template.ts';
import { labelsMatchSelector } from './workload-template.ts';

function seconds(description: string) {
  return int32().min(0).describe(description).optional();
}

const scheduleStrategy = z.strictObject({
  type: z
    .enum(unitedDeploymentModes)
    .describe(
      'Fixed (the default): by the numbers of the subsets. Adaptive: also by where pods can be scheduled.',
    )
    .optional(),
  adaptive: z
    .strictObject({
      rescheduleCriticalSeconds: seconds(
        `After so long a pod that cannot be scheduled makes its subset unschedulable; ${adaptiveDefaults.rescheduleCriticalSeconds} where left out.`,
      ),
      unschedulableDuration: seconds(
        `So long a subset counts as unschedulable; ${adaptiveDefaults.unschedulableDuration} where left out.`,
      ),
      unschedulableLastSeconds: seconds(
        'The name of unschedulableDuration before Kruise 1.9; is read where that is left out.',
      ),
      reserveUnschedulablePods: z
        .boolean()
        .describe(
          'Pods that cannot be scheduled stay and wait, and are replaced in other subsets meanwhile. Not for StatefulSets.',
        )
        .optional(),
    })
    .describe('For the type Adaptive.')
    .optional(),
});

function bounded(self: string): string {
  return `${self}.subsets.exists(s, has(s.minReplicas) || has(s.maxReplicas))`;
}

const topology = z
  .strictObject({
    subsets: listMap(subset, 'name')
      .max(maxSubsets)
      .meta(rules(...demandRules))
      .describe('The subsets; where they are served one after the other, in this order.')
      .optional(),
    scheduleStrategy: scheduleStrategy.describe('How the total is spread over the subsets.').optional(),
  })
  .meta(
    rules(
      ...subsetsRule(
        (self) =>
          `!has(${self}.scheduleStrategy) || !has(${self}.scheduleStrategy.type) || ${self}.scheduleStrategy.type != 'Adaptive' || ` +
          `!${self}.subsets.exists(s, has(s.replicas))`,
        'replicas must be left out where scheduleStrategy.type is Adaptive: give minReplicas and maxReplicas',
        'has(s.replicas)',
      ),
      ...subsetsRule(
        (self) => `!${bounded(self)} || !${self}.subsets.exists(s, has(s.replicas))`,
        'replicas cannot be given where minReplicas or maxReplicas is given, here or in another subset',
        'has(s.replicas)',
      ),
      ...ratcheted(
        (self) =>
          `!has(${self}.subsets) || !${bounded(self)} || ${self}.subsets.exists(s, !has(s.maxReplicas))`,
        'at least one subset must have no maxReplicas, so that there is room for every total',
        { fieldPath: '.subsets' },
      ),
    ),
  );

/** A rule on all subsets; its message begins with the name of the first of which `concerns` is true. */
function subsetsRule(
  check: (self: 'self' | 'oldSelf') => string,
  problem: string,
  concerns: string,
): readonly CelRule[] {
  return ratcheted((self) => `!has(${self}.subsets) || ${check(self)}`, problem, {
    messageExpression: `'subset ' + self.subsets.map(s, ${concerns}, s.name)[0] + ': ${problem}'`,
    fieldPath: '.subsets',
  });
}

const partitionsPath = 'updateStrategy.manualUpdate.partitions';

function unknownPartitions(self: string): string {
  const subsets = `${self}.topology.subsets`;
  return `(has(${self}.topology) && has(${subsets}) ? ${self}.${partitionsPath}.filter(k, !${subsets}.exists(s, s.name == k)) : ${self}.${partitionsPath}.filter(k, true))`;
}

export const unitedDeploymentSpec = z
  .strictObject({
    replicas: int32()
      .min(0)
      .describe(
        'The total over all subsets. Left out, it is the sum of the subsets where each gives a number, and 1 otherwise.',
      )
      .optional(),
    selector: labelSelector(
      cel(
        'self.?matchLabels.orValue({}).size() + self.?matchExpressions.orValue([]).size() > 0',
        'selector must not be empty: give at least one entry in matchLabels or matchExpressions',
      ),
      cel('self == oldSelf', 'selector is immutable: delete the object and create it anew'),
    ).describe('Selects the children and their pods; the labels of the template must match it. Immutable.'),
    template: unitedDeploymentTemplate.describe('What runs in every subset: exactly one kind of workload.'),
    topology: topology.describe('The subsets, and how the total is spread over them.').optional(),
    updateStrategy: z
      .strictObject({
        type: z.enum(['', 'Manual']).default('Manual').describe('Manual, the only one.'),
        manualUpdate: z
          .strictObject({
            partitions: z
              .record(z.string(), int32())
              .describe('How many pods of a subset stay at the older revision, by the name of the subset.')
              .meta({
                maxProperties: maxSubsets,
                ...rules(
                  cel('self.all(k, self[k] >= 0)', 'a partition must be at least 0', {
                    messageExpression: `'subset ' + self.filter(k, self[k] < 0)[0] + ': the partition must be at least 0'`,
                  }),
                ),
              })
              .optional(),
          })
          .prefault({})
          .describe('For the type Manual.'),
      })
      .prefault({})
      .describe('How far a new template goes.'),
    revisionHistoryLimit: int32()
      .min(0)
      .default(defaultRevisionHistoryLimit)
      .describe(
        'How many revisions of the template are kept to roll back to, those in use included; these are never removed.',
      ),
  })
  .describe('What runs, how often, and in which subsets.')
  .meta(
    rules(
      ...labelsMatchSelector('template.statefulSetTemplate', ['metadata', 'labels']),
      ...labelsMatchSelector('template.statefulSetTemplate', ['spec', 'template', 'metadata', 'labels']),
      ...labelsMatchSelector('template.advancedStatefulSetTemplate', ['metadata', 'labels']),
      ...labelsMatchSelector('template.advancedStatefulSetTemplate', [
        'spec',
        'template',
        'metadata',
        'labels',
      ]),
      ...labelsMatchSelector('template.deploymentTemplate', ['metadata', 'labels']),
      ...labelsMatchSelector('template.deploymentTemplate', ['spec', 'template', 'metadata', 'labels']),
      // CloneSets get the labels of the selector, whatever the template has, so only those of the pods matter.
      ...labelsMatchSelector('template.cloneSetTemplate', ['spec', 'template', 'metadata', 'labels']),
      ...ratcheted(
        (self) =>
          `has(${self}.topology) && has(${self}.topology.subsets) && ${self}.topology.subsets.size() > 0`,
        'topology.subsets must hold at least one subset: set replicas to 0 where nothing is to run',
        { fieldPath: '.topology.subsets' },
      ),
      ...ratcheted(
        (self) => `!has(${self}.${partitionsPath}) || ${unknownPartitions(self)}.size() == 0`,
        'every partition must be that of a subset of spec.topology.subsets',
        {
          messageExpression: `'there is no subset ' + ${unknownPartitions('self')}[0] + ': every partition must be that of a subset of spec.topology.subsets'`,
          fieldPath: `.${partitionsPath}`,
        },
      ),
      ...ratcheted(
        (self) =>
          `!(has(${self}.template.statefulSetTemplate) || has(${self}.template.advancedStatefulSetTemplate)) || ` +
          `!has(${self}.topology) || !has(${self}.topology.scheduleStrategy) || ` +
          `!has(${self}.topology.scheduleStrategy.type) || ${self}.topology.scheduleStrategy.type != 'Adaptive' || ` +
          `!has(${self}.topology.scheduleStrategy.adaptive) || ` +
          `!has(${self}.topology.scheduleStrategy.adaptive.reserveUnschedulablePods) || ` +
          `!${self}.topology.scheduleStrategy.adaptive.reserveUnschedulablePods`,
        'reserveUnschedulablePods must not be true for the two StatefulSet templates, only for Deployments and CloneSets',
        { fieldPath: '.topology.scheduleStrategy' },
      ),
    ),
  );

/** As Kruise has them: scripts cut them by position. */
const columns: readonly PrinterColumn[] = [
  {
    name: 'DESIRED',
    type: 'integer',
    jsonPath: '.spec.replicas',
    description: 'How many pods there are to be.',
  },
  {
    name: 'CURRENT',
    type: 'integer',
    jsonPath: '.status.replicas',
    description: 'How many pods there are.',
  },
  {
    name: 'UPDATED',
    type: 'integer',
    jsonPath: '.status.updatedReplicas',
    description: 'How many pods are of the newest template.',
  },
  {
    name: 'READY',
    type: 'integer',
    jsonPath: '.status.readyReplicas',
    description: 'How many pods are Ready.',
  },
  { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** READY is the number of pods here, so the condition has another name than in the other kinds. */
const wideColumns: readonly PrinterColumn[] = [
  {
    name: 'COMPLETE',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: 'True when everything is as in the spec: the condition Ready.',
    priority: 1,
  },
  {
    name: 'REASON',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    description: 'Why it is complete, or what it waits for.',
    priority: 1,
  },
];

export const unitedDeploymentKind: KindDefinition = {
  resource: unitedDeployments,
  shortNames: ['ud'],
  description: 'A total of replicas, spread over named subsets with a workload each.',
  spec: unitedDeploymentSpec,
  nullsInSpec: true,
  status: unitedDeploymentStatus,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.labelSelector',
  },
  versions: [
    { name: 'v1alpha1', storage: true, columns: [...columns, ...wideColumns] },
    { name: 'v1beta1', storage: false, columns: [...columns, ...wideColumns] },
  ],
};
