import type { ValidationRule } from '@atoll/kube';
import { z } from 'zod';

/** A rule of the Common Expression Language, as `x-kubernetes-validations` holds it. */
export type CelRule = ValidationRule;

/**
 * A CEL rule with the message that a user sees: what is allowed, in the words of the field.
 * Source: Kubernetes, "Validation rules" of CustomResourceDefinitions.
 */
export function cel(rule: string, message: string, more: Omit<CelRule, 'rule' | 'message'> = {}): CelRule {
  return { rule, message, ...more };
}

/**
 * A rule that binds new objects and changes, but not what was wrong before it came: an object that breaks it may be
 * changed in every other way. `check` gets the name of the variable to look at. The API server forgives by itself only
 * where the whole value that carries the rule is unchanged, and never where that value holds fields which the schema
 * merely preserves (Kubernetes 1.36, "Validation ratcheting").
 */
export function ratcheted(
  check: (self: 'self' | 'oldSelf') => string,
  message: string,
  more: Omit<CelRule, 'rule' | 'message'> = {},
): readonly [CelRule, CelRule] {
  return [
    cel(`oldSelf.hasValue() || (${check('self')})`, message, { ...more, optionalOldSelf: true }),
    cel(`(${check('self')}) || !(${check('oldSelf')})`, message, more),
  ];
}

/** Metadata for `.meta()` that puts CEL rules on a schema. */
export function rules(...list: readonly CelRule[]): {
  readonly 'x-kubernetes-validations': readonly CelRule[];
} {
  return { 'x-kubernetes-validations': list };
}

/** A 32-bit integer. */
export function int32(): z.ZodNumber {
  return z.int().min(-2_147_483_648).max(2_147_483_647);
}

/** A 64-bit integer, within what JavaScript holds exactly. */
export function int64(): z.ZodNumber {
  return z.int();
}

/** RFC 3339 with any offset. */
export function timestamp(): z.ZodISODateTime {
  return z.iso.datetime({ offset: true });
}

/** An integer or a string, as in `25%` or `2`; reduced to `x-kubernetes-int-or-string` in the CRD. */
export function intOrString(): z.ZodUnion<readonly [z.ZodNumber, z.ZodString]> {
  return z.union([z.int(), z.string()]).meta({ 'x-kubernetes-int-or-string': true });
}

/** A list whose items are identified by the named keys, so that server-side apply merges it item by item. */
export function listMap<Item extends z.ZodType>(
  item: Item,
  ...keys: readonly [string, ...string[]]
): z.ZodArray<Item> {
  return z.array(item).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
}

/** Ends the description of a field that clients of an old operator write or read, and on which Atoll does nothing. */
export const keptNote = 'Kept; Atoll does not act on it.';

/** The description of such a field. */
export function keptOnly(description: string): string {
  return `${description} ${keptNote}`;
}

/** A list that is only ever replaced as a whole. */
export function atomicList<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return z.array(item).meta({ 'x-kubernetes-list-type': 'atomic' });
}

/**
 * An object of which the schema has only the given fields and preserves all others: a template whose judge is the
 * API server itself, when the child is written.
 */
export function embedded<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$loose> {
  return z.looseObject(shape).meta({ 'x-kubernetes-preserve-unknown-fields': true });
}

/** Fields that may hold anything, for `kubectl explain`; no type, so nothing is refused and nothing merged otherwise for it. */
export function described<Name extends string>(
  fields: Readonly<Record<Name, string>>,
): Record<Name, z.ZodOptional<z.ZodUnknown>> {
  const entries = Object.entries<string>(fields).map(([name, description]) => [
    name,
    z
      .unknown()
      .describe(description)
      .meta({ 'x-kubernetes-preserve-unknown-fields': true, nullable: true })
      .optional(),
  ]);
  return Object.fromEntries(entries) as Record<Name, z.ZodOptional<z.ZodUnknown>>;
}

/** A list without duplicates, merged by server-side apply value by value. */
export function set<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return z.array(item).meta({ 'x-kubernetes-list-type': 'set' });
}

/** The syntax of quantities. Source: the schema that controller-gen makes of `resource.Quantity`. */
const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** An amount of a resource, as in `500m`, `2Gi` or `1`. */
export function quantity(): z.ZodUnion<readonly [z.ZodNumber, z.ZodString]> {
  return z
    .union([z.int(), z.string().regex(new RegExp(quantityPattern))])
    .meta({ 'x-kubernetes-int-or-string': true, pattern: quantityPattern });
}
