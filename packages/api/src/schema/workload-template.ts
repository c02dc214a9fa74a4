import { templateMetadata } from './labels.ts';
import { cel, described, embedded, ratcheted, type CelRule } from './markers.ts';
import { podSpecFields } from './template-fields.ts';

export const podTemplate = embedded({
  metadata: templateMetadata.describe('Labels and annotations of the pods.').optional(),
  spec: embedded(described(podSpecFields))
    .describe('The spec of the pods, with every field that a pod has.')
    .optional(),
}).describe('The pods; the API server judges them when the children are written.');

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
