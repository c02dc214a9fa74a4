import { z } from 'zod';
import { templateMetadata } from './labels.ts';
import { cel, described, embedded, ratcheted, type CelRule } from './markers.ts';
import { commonPodSpecFields, podSpecFields } from './template-fields.ts';

export const podTemplate = podTemplateWith(podSpecFields);
/** The same pods, with less of them for `kubectl explain`. */
export const commonPodTemplate = podTemplateWith(commonPodSpecFields);

function podTemplateWith(fields: Readonly<Record<string, string>>) {
  return embedded({
    metadata: templateMetadata.describe('Labels and annotations of the pods.').optional(),
    spec: embedded(described(fields))
      .describe('The spec of the pods, with every field that a pod has.')
      .optional(),
  }).describe('The pods; the API server judges them when the children are written.');
}

/**
 * A StatefulSet refuses to change this field, so its template does too. Written without `orValue()`, whose result has
 * no bound in the cost estimate of the API server.
 */
export function immutable(field: string, whenAbsent: string): CelRule {
  const value = (self: string): string => `(has(${self}.${field}) ? ${self}.${field} : ${whenAbsent})`;
  return cel(
    `${value('self')} == ${value('oldSelf')}`,
    `${field} is immutable, as it is in a StatefulSet: delete the object and create it anew`,
    { fieldPath: `.${field}` },
  );
}

const text = (description: string) => z.string().describe(description).optional();
const texts = (description: string) => z.record(z.string(), z.string()).describe(description).optional();

/** The fields of a claim that {@link claimsAreKept} compares, because rules see no others; a claim may have all that it has. */
const claim = embedded({
  metadata: embedded({
    // With a bound, because a message has it.
    name: z.string().max(253).describe('Unique.').optional(),
    labels: texts('Labels.'),
    annotations: texts('Annotations.'),
  })
    .describe('Name and labels.')
    .optional(),
  spec: embedded({
    accessModes: z.array(z.string()).describe('ReadWriteOnce and others.').optional(),
    resources: embedded({}).describe('The size.').optional(),
    storageClassName: text('The StorageClass.'),
    volumeMode: text('Filesystem or Block.'),
  })
    .describe('What is claimed.')
    .optional(),
});

/** A rule over a list needs a bound; so many volumes no node attaches for one pod. */
const maxClaims = 64;

export const volumeClaimTemplates = z
  .array(claim)
  .max(maxClaims)
  .describe('Claims that every pod gets. Immutable.');

/** What must stay as it is of a claim `c`. */
const meaningOfClaim = [
  'c.?metadata.?name',
  'c.?metadata.?labels.orValue({})',
  'c.?metadata.?annotations.orValue({})',
  'c.?spec.?accessModes',
  'c.?spec.?resources',
  'c.?spec.?storageClassName',
  `c.?spec.?volumeMode.orValue('Filesystem')`,
];

/**
 * A StatefulSet refuses to change its claims, so its template does too. They are compared by their meaning: a manifest that is applied
 * again has nothing of what the webhook of an old operator stored with it, which are `status`, `metadata.creationTimestamp: null` and the
 * default of `volumeMode` (`SetDefaults_PersistentVolumeClaim`). Amounts are compared as they are written, because the API server
 * estimates that to parse them costs too much. What is not compared, as a data source, is refused when the child is written: the definition of a
 * UnitedDeployment has no room for all (`custom-resource-definition.spec.ts`).
 */
export function claimsAreKept(): CelRule {
  const claims = (self: string): string =>
    `(has(${self}.volumeClaimTemplates) ? ${self}.volumeClaimTemplates : [])`;
  const listOf = (values: readonly string[]): string =>
    `[${values.map((value) => `dyn(${value})`).join(', ')}]`;
  const meanings = (self: string): string => `${claims(self)}.map(c, ${listOf(meaningOfClaim)})`;
  const is = 'volumeClaimTemplates is immutable, as it is in a StatefulSet';
  // Where no claim asks for another size the expression fails, and the message is the plain one.
  const isOther = '!(c.spec.resources in oldSelf.volumeClaimTemplates.map(c, c.spec.resources))';
  return cel(
    `${meanings('self')} == ${meanings('oldSelf')}`,
    `${is}: put the claims back as they were, or delete the object and create it anew`,
    {
      fieldPath: '.volumeClaimTemplates',
      messageExpression: `self.volumeClaimTemplates.map(c, ${isOther}, '${is}: put the claim ' + c.metadata.name + ' back as it was, or delete the object and create it anew')[0]`,
    },
  );
}

/** Rules of a spec: the labels at `path` of the template in the field `template` must be what `selector` selects. */
export function labelsMatchSelector(template: string, path: readonly string[]): readonly CelRule[] {
  return ratcheted(
    (self) => selectorMatches(`${self}.selector`, `${self}.${template}`, path),
    'the labels must match spec.selector',
    { fieldPath: `.${template}.${path.join('.')}` },
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
