import { z } from 'zod';
import { defaultRevisionHistoryLimit } from '../pool-workload.ts';
import { condition } from './condition.ts';
import { labelSelector, templateMetadata } from './labels.ts';
import {
  atomicList,
  cel,
  embedded,
  int32,
  int64,
  listMap,
  ratcheted,
  rules,
  type CelRule,
} from './markers.ts';

const replicas = int32()
  .min(0)
  .describe(
    'The replicas of each pool. Left out, they belong to whoever scales the children and are never written.',
  )
  .optional();

const podTemplate = embedded({
  metadata: templateMetadata.optional(),
  spec: embedded({}).optional(),
}).describe('The pods; the API server judges them when the children are written.');

const deploymentTemplate = z.strictObject({
  metadata: templateMetadata.describe('Labels and annotations of the Deployments.').optional(),
  spec: embedded({ replicas, template: podTemplate }).describe('An apps/v1 DeploymentSpec.'),
});

const statefulSetTemplate = z.strictObject({
  metadata: templateMetadata.describe('Labels and annotations of the StatefulSets.').optional(),
  spec: embedded({
    replicas,
    template: podTemplate,
    serviceName: z.string().describe('Immutable.').optional(),
    podManagementPolicy: z.string().describe('Immutable.').optional(),
    volumeClaimTemplates: z.array(embedded({})).describe('Immutable.').optional(),
    updateStrategy: embedded({
      rollingUpdate: embedded({
        partition: int32()
          .describe('Must be 0 or left out.')
          .meta(
            rules(cel('self == 0', 'partition must be 0 or left out: a pool is always updated as a whole')),
          )
          .optional(),
      }).optional(),
    }).optional(),
  })
    .describe('An apps/v1 StatefulSetSpec.')
    .meta(
      rules(
        immutable('serviceName', `''`),
        immutable('podManagementPolicy', `'OrderedReady'`),
        immutable('volumeClaimTemplates', '[]'),
      ),
    ),
});

/**
 * A StatefulSet refuses to change these, so the template does too. Written without `orValue()`, whose result has no
 * bound in the cost estimate of the API server.
 */
function immutable(field: string, whenAbsent: string): CelRule {
  const value = (self: string): string => `(has(${self}.${field}) ? ${self}.${field} : ${whenAbsent})`;
  return cel(
    `${value('self')} == ${value('oldSelf')}`,
    `${field} is immutable, as it is in a StatefulSet: delete the object and create it anew`,
    { fieldPath: `.${field}` },
  );
}

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

/** The labels at `path` of a template must be what `spec.selector` selects. */
function matchesSelector(
  template: 'deploymentTemplate' | 'statefulSetTemplate',
  ...path: readonly string[]
): readonly CelRule[] {
  return ratcheted(
    (self) => selectorMatches(`${self}.selector`, `${self}.workloadTemplate.${template}`, path),
    'the labels must match spec.selector',
    { fieldPath: `.workloadTemplate.${template}.${path.join('.')}` },
  );
}

/** Written without `orValue()`, as {@link immutable} is. */
function selectorMatches(selector: string, template: string, path: readonly string[]): string {
  const fields = path.map((_, index) => [template, ...path.slice(0, index + 1)].join('.'));
  const labels = [template, ...path].join('.');
  const present = `(${fields.map((field) => `has(${field})`).join(' && ')})`;
  const holdsKey = `(${present} && e.key in ${labels})`;
  const matchLabels = `${selector}.matchLabels.all(key, ${present} && key in ${labels} && ${labels}[key] == ${selector}.matchLabels[key])`;
  const matchExpressions =
    `${selector}.matchExpressions.all(e, ` +
    `e.operator == 'In' ? ${holdsKey} && ${labels}[e.key] in e.values : ` +
    `e.operator == 'NotIn' ? !(${holdsKey} && ${labels}[e.key] in e.values) : ` +
    `${holdsKey} == (e.operator == 'Exists'))`;
  return (
    `!has(${template}) || ` +
    `((!has(${selector}.matchLabels) || ${matchLabels}) && ` +
    `(!has(${selector}.matchExpressions) || ${matchExpressions}))`
  );
}

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
      .describe('How many old revisions of the template are kept for a roll-back.'),
  })
  .meta(
    rules(
      ...matchesSelector('deploymentTemplate', 'metadata', 'labels'),
      ...matchesSelector('deploymentTemplate', 'spec', 'template', 'metadata', 'labels'),
      ...matchesSelector('statefulSetTemplate', 'metadata', 'labels'),
      ...matchesSelector('statefulSetTemplate', 'spec', 'template', 'metadata', 'labels'),
    ),
  );

const workloadSummary = z.strictObject({
  availableCondition: z.string().describe('The status of the Available condition of the child.'),
  replicas: int32(),
  readyReplicas: int32(),
  workloadName: z.string(),
});

const poolSummary = z.strictObject({
  name: z.string().describe('The pool.'),
  workloadName: z.string().describe('The child in this pool; absent as long as there is none.').optional(),
  revision: z.string().describe('The ControllerRevision that the child carries.').optional(),
  replicas: int32().describe('How many pods the child wants.').optional(),
  readyReplicas: int32().optional(),
  updatedReplicas: int32().optional(),
  availableReplicas: int32().optional(),
  observedGeneration: int64().describe('The generation of the child that these counts speak of.').optional(),
});

export const poolWorkloadStatus = z
  .strictObject({
    observedGeneration: int64().describe('The generation of the spec that this status speaks of.').optional(),
    collisionCount: int32().describe('How often the name of a revision was taken.').optional(),
    currentRevision: z.string().describe('The revision that every pool has reached.').optional(),
    updateRevision: z.string().describe('The revision of the template as it is now.').optional(),
    conditions: atomicList(condition).optional(),
    overriderRef: z.string().describe('Written by older releases of OpenYurt.').optional(),
    templateType: z.string().describe('Deployment or StatefulSet.').optional(),
    nodepools: atomicList(z.string()).describe('The names of the selected pools, sorted.').optional(),
    workloadSummary: atomicList(workloadSummary).describe('The children, sorted by name.').optional(),
    pools: listMap(poolSummary, 'name')
      .describe('The child in each selected pool, sorted by pool.')
      .optional(),
  })
  .describe('What is true of the workload now.');
