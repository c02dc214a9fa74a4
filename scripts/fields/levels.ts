import type { StructuralSchema } from '@atoll/api/schema';
import { kubernetesShape } from './field-type.ts';

/** An object of which a page has a table: its path, and its fields. */
export interface Level {
  readonly path: string;
  readonly schema: StructuralSchema;
}

/**
 * The objects at and below `path` that are not Kubernetes' own, each before those in it. An object with the same fields and
 * rules as an earlier one has no table of its own.
 */
export function levels(path: string, schema: StructuralSchema, before: readonly Level[] = []): Level[] {
  const found: Level[] = [];
  const visit = (at: string, each: StructuralSchema): void => {
    if (kubernetesShape(each) !== undefined) return;
    if (each.properties !== undefined) {
      if (levelOf(each, [...before, ...found]) !== undefined) return;
      found.push({ path: at, schema: each });
      for (const [name, child] of Object.entries(each.properties)) visit(`${at}.${name}`, child);
    }
    if (each.items !== undefined) visit(`${at}[]`, each.items);
    if (each.additionalProperties !== undefined) visit(`${at}.*`, each.additionalProperties);
  };
  visit(path, schema);
  return found;
}

/** The level that shows the fields of a schema. */
export function levelOf(schema: StructuralSchema, all: readonly Level[]): Level | undefined {
  const fields = fieldsOf(schema);
  return all.find((level) => fieldsOf(level.schema) === fields);
}

function fieldsOf({ properties, required, ...rest }: StructuralSchema): string {
  return JSON.stringify([properties, required, rest['x-kubernetes-validations']]);
}

/** A rule with the path of what it is about, and the words with which the API server refuses what breaks it. */
export interface PathRule {
  readonly path: string;
  readonly message: string;
}

/** The rules of a level and of those of its fields that have no level of their own, each once. */
export function rulesOf({ path, schema }: Level): readonly PathRule[] {
  const found = rulesAt(path, schema);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = `${path}.${name}`;
    if (field.properties === undefined || kubernetesShape(field) === undefined)
      found.push(...valueRules(at, field));
    else found.push(...rulesAt(at, field));
  }
  const texts = new Set<string>();
  return found.filter(({ path: at, message }) => texts.size < texts.add(`${at} ${message}`).size);
}

/** Of a value that is no object: its own rules, and those of its items. */
function valueRules(path: string, schema: StructuralSchema): readonly PathRule[] {
  if (schema.properties !== undefined) return [];
  return [
    ...rulesAt(path, schema),
    ...(schema.items === undefined ? [] : valueRules(`${path}[]`, schema.items)),
    ...(schema.additionalProperties === undefined
      ? []
      : valueRules(`${path}.*`, schema.additionalProperties)),
  ];
}

function rulesAt(path: string, schema: StructuralSchema): PathRule[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap(
    ({ message = '', fieldPath = '', messageExpression }) => {
      const chosen = chosenMessages(messageExpression ?? '');
      return (chosen.length === 0 ? [message] : chosen).map((each) => ({
        path: `${path}${fieldPath}`,
        message: each,
      }));
    },
  );
}

/** The messages among which an expression of CEL chooses: `a ? 'one' : b ? 'another' : ''`. None where it chooses a part of one message. */
function chosenMessages(expression: string): readonly string[] {
  if (!expression.includes(" : '')")) return [];
  return [...expression.matchAll(/ \? '([^']+)' : /g)].map(([, message = '']) => message);
}
