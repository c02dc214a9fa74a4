import { z } from 'zod';
import { atomicList, cel, embedded, rules, type CelRule } from './markers.ts';

/** The longest value of a label, and so the longest name of a NodePool. */
export const maxLabelValueLength = 63;

/** A DNS prefix of 253 characters, a slash, a name of 63. */
const maxQualifiedNameLength = 317;

/**
 * How many entries one map or list may hold. The API server estimates the cost of a rule from the largest input that
 * the schema allows and refuses the schema where that is too much, so every input of a rule needs a bound.
 */
export const maxEntries = 128;
const maxRequirements = 32;

/** Source: Kubernetes, "Labels and selectors", syntax. */
const labelNamePattern =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;
const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/*
 * The same as expressions that Kubernetes 1.30 compiles: CEL's own formats (`format.qualifiedName()`) are known to API servers from 1.33 on.
 */
const isLabelName = (key: string): string =>
  `${key}.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$')` +
  ` && ${key}.indexOf('/') <= 253`;
/**
 * The API server puts the keys of annotations into lower case before it looks at them. The expression is no longer than that of labels, because its
 * length counts against what a schema may cost. What ignores case takes U+017F for an s, and the API server does not.
 */
const isAnnotationName = (key: string): string =>
  `${key}.matches('^(?i:([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([a-z0-9][-a-z0-9_.]{0,61})?[a-z0-9])$')` +
  ` && !${key}.contains('\\u017F') && ${key}.indexOf('/') <= 253`;
const isLabelValue = "self.size() <= 63 && self.matches('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$')";

/** Whether a CEL expression is a DNS label: the name of a subset, a port, a container. */
export const isDnsLabel = (name: string): string => `${name}.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')`;

export const labelName = z
  .string()
  .max(maxQualifiedNameLength)
  .refine((name) => labelNamePattern.test(name))
  .meta(
    rules(
      cel(
        isLabelName('self'),
        'must be a qualified name: an optional DNS name and a slash, then 1 to 63 letters, digits, "-", "_" or ".", beginning and ending with a letter or digit',
      ),
    ),
  );

export const labelValue = z
  .string()
  .max(maxLabelValueLength)
  .refine((value) => labelValuePattern.test(value))
  .meta(
    rules(
      cel(
        isLabelValue,
        'must be a label value: empty or letters, digits, "-", "_" or ".", beginning and ending with a letter or digit',
      ),
    ),
  );

const keySyntax = (isName: (key: string) => string): CelRule =>
  cel(
    `self.all(key, ${isName('key')})`,
    'every key must be a qualified name: an optional DNS name and a slash, then 1 to 63 letters, digits, "-", "_" or "."',
  );

/** A rule that refuses the given keys of a map, with the reason. */
export function forbiddenKeys(keys: readonly string[], because: string): CelRule {
  const list = keys.map((key) => `'${key}'`).join(', ');
  return cel(`!self.exists(key, key in [${list}])`, `must not hold the key ${keys.join(' or ')}: ${because}`);
}

/** Labels by the rules of the API server: the syntax of keys and values. */
export function labelMap(...more: readonly CelRule[]): z.ZodRecord<z.ZodString, z.ZodString> {
  return z
    .record(z.string(), labelValue)
    .meta({ maxProperties: maxEntries, ...rules(keySyntax(isLabelName), ...more) });
}

/** Annotations by the rules of the API server: the syntax of keys; values are free. */
export function annotationMap(...more: readonly CelRule[]): z.ZodRecord<z.ZodString, z.ZodString> {
  return z
    .record(z.string(), z.string())
    .meta({ maxProperties: maxEntries, ...rules(keySyntax(isAnnotationName), ...more) });
}

const requirement = z
  .strictObject({
    key: labelName.describe('The label that the requirement is about.'),
    operator: z
      .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
      .describe('How the value of the label relates to values.'),
    values: atomicList(labelValue)
      .max(maxEntries)
      .describe('Required for In and NotIn, forbidden for Exists and DoesNotExist.')
      .optional(),
  })
  .meta(
    rules(
      cel(
        `(self.operator in ['In', 'NotIn']) == (self.?values.orValue([]).size() > 0)`,
        'values must be given for the operators In and NotIn, and only for them',
        { fieldPath: '.values' },
      ),
    ),
  );

const selectorFields = z.strictObject({
  matchLabels: labelMap()
    .describe('Labels that an object must carry, each with exactly this value.')
    .optional(),
  matchExpressions: atomicList(requirement)
    .max(maxRequirements)
    .describe('Requirements; all of them must hold.')
    .optional(),
});

/** metav1.LabelSelector. Replaced as a whole, as the built-in kinds have it. */
export function labelSelector(...more: readonly CelRule[]): typeof selectorFields {
  return selectorFields.meta({ 'x-kubernetes-map-type': 'atomic', ...(more.length > 0 && rules(...more)) });
}

/** The metadata of a template: labels and annotations are ours to read, anything else is kept. */
export const templateMetadata = embedded({
  labels: labelMap().describe('Labels that the template gives.').optional(),
  annotations: z.record(z.string(), z.string()).describe('Annotations that the template gives.').optional(),
});
