import type { ExtendedDaemonsetSetting } from '@atoll/api';
import { isFields, jsonExcerpt } from '@atoll/kube';

/** What of a setting cannot be read. */
export interface UnreadableSetting {
  /** What is not known because of it: for which object it is, for which nodes, or what it changes there. */
  readonly unknown: 'object' | 'nodes' | 'content';
  /** With the path of the field. */
  readonly problem: string;
}

/** What is wrong with a value; undefined: nothing. */
type Check = (value: unknown, path: string) => string | undefined;

const text: Check = (value, path) => (typeof value === 'string' ? undefined : wrong(value, path, 'a string'));

/** Of which nothing is said here. */
const anything: Check = () => undefined;

function optional(check: Check): Check {
  return (value, path) => (value === undefined ? undefined : check(value, path));
}

/** null is nothing there, as for Go. */
function nullable(check: Check): Check {
  return (value, path) => (value === null ? undefined : optional(check)(value, path));
}

function listOf(check: Check): Check {
  return (value, path) =>
    Array.isArray(value)
      ? first(value.map((each: unknown, index) => () => check(each, `${path}[${index}]`)))
      : wrong(value, path, 'a list');
}

function mapOf(check: Check): Check {
  return (value, path) =>
    isFields(value)
      ? first(
          Object.entries(value).map(
            ([key, each]) =>
              () =>
                check(each, `${path}[${key}]`),
          ),
        )
      : wrong(value, path, 'an object');
}

function objectOf(fields: Readonly<Record<string, Check>>): Check {
  return (value, path) =>
    isFields(value)
      ? first(
          Object.entries(fields).map(
            ([name, check]) =>
              () =>
                check(value[name], `${path}.${name}`),
          ),
        )
      : wrong(value, path, 'an object');
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function wrong(value: unknown, path: string, what: string): string {
  const is = value === undefined ? 'missing' : jsonExcerpt(value);
  return `${path} is ${is}; it must be ${what}`;
}

const containers = optional(
  listOf(
    objectOf({
      name: text,
      resources: optional(
        objectOf({
          limits: nullable(mapOf(anything)),
          requests: nullable(mapOf(anything)),
          claims: nullable(listOf(objectOf({ name: text, request: nullable(text) }))),
        }),
      ),
      env: optional(listOf(objectOf({ name: text, value: nullable(text) }))),
    }),
  ),
);

const requirement = objectOf({ key: text, operator: text, values: optional(listOf(text)) });
const nodeSelector = objectOf({
  matchLabels: nullable(mapOf(text)),
  matchExpressions: nullable(listOf(requirement)),
});

/** In this order: where it is not known for which object a setting is, its nodes mean nothing. */
const parts = [
  ['object', objectOf({ reference: nullable(objectOf({ name: nullable(text) })) })],
  ['nodes', objectOf({ nodeSelector: nullable(nodeSelector) })],
  ['content', objectOf({ containers, initContainers: containers })],
] as const;

/**
 * What of a setting is not of the form that its schema asks for. The API server serves what is stored, whatever the schema is today: another
 * definition may have stored it, as that of the old operator, which does not ask for a spec.
 */
export function unreadableSetting({
  spec,
}: Pick<ExtendedDaemonsetSetting, 'spec'>): UnreadableSetting | undefined {
  for (const [unknown, check] of parts) {
    const problem = check(spec, 'spec');
    if (problem !== undefined) return { unknown, problem };
  }
  return undefined;
}
