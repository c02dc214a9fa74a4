import { parseInt64 } from './parse-int64.ts';
import { labelValueProblems, qualifiedNameProblems } from './resource-names.ts';
import type { LabelSelector } from '../types/index.ts';
import { ownField } from '../values/own-field.ts';

/** Labels as objects carry them. */
export type Labels = Readonly<Record<string, string>>;

/** One clause of a {@link Selector}; `Gt` and `Lt` compare 64-bit integers and exist for nodes. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

/** A checked selector: labels match where they meet every requirement; without any, everything matches. */
export type Selector = readonly Requirement[];

/** What an empty selector means. */
export const everything: Selector = [];
/** What an absent selector means in most specs. */
export const nothing: Selector = [{ key: '', operator: 'In', values: [] }];

/** Something is wrong with a value, and where. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

/** A selector that cannot be meant. The message names each field with its value and the rule. */
export class InvalidSelectorError extends Error {
  override readonly name = 'InvalidSelectorError';
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; '));
    this.problems = problems;
  }
}

/**
 * Checks and compiles a selector from a spec. Absent means {@link nothing}, empty means {@link everything}.
 * Throws an InvalidSelectorError with every problem under `path`. Source: `metav1.LabelSelectorAsSelector` and
 * `ValidateLabelSelector`.
 */
export function compileSelector(
  selector: LabelSelector | null | undefined,
  path = 'spec.selector',
): Selector {
  if (selector === undefined || selector === null) return nothing;
  const problems = selectorProblems(selector, path);
  if (problems.length > 0) throw new InvalidSelectorError(problems);
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push({ key, operator: 'In', values: [value] });
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    if (isSetOperator(operator)) requirements.push({ key, operator, values: values ?? [] });
  }
  return requirements;
}

/** Everything that the API server would refuse in a selector. */
export function selectorProblems(selector: LabelSelector, path: string): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const check = (at: string, value: string, found: readonly string[]): void => {
    for (const problem of found) problems.push({ path: at, message: `${JSON.stringify(value)} ${problem}` });
  };
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    check(`${path}.matchLabels`, key, qualifiedNameProblems(key));
    check(`${path}.matchLabels[${key}]`, value, labelValueProblems(value));
  }
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    check(`${at}.key`, key, qualifiedNameProblems(key));
    for (const [place, value] of values.entries())
      check(`${at}.values[${place}]`, value, labelValueProblems(value));
    if (!isSetOperator(operator)) {
      check(`${at}.operator`, operator, [
        'is no selector operator; allowed are In, NotIn, Exists, DoesNotExist',
      ]);
    } else if (needsValues(operator) && values.length === 0) {
      problems.push({ path: `${at}.values`, message: `must not be empty where the operator is ${operator}` });
    } else if (!needsValues(operator) && values.length > 0) {
      problems.push({ path: `${at}.values`, message: `must be empty where the operator is ${operator}` });
    }
  }
  return problems;
}

/** Whether the labels meet every requirement. `NotIn` and `DoesNotExist` are met by labels without the key. */
export function selectorMatches(selector: Selector, labels: Labels | undefined): boolean {
  return selector.every((requirement) => requirementMatches(requirement, labels ?? {}));
}

/** Whether the labels meet one requirement. */
export function requirementMatches({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = ownField(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const actual = parseInt64(value);
      const bound = values.length === 1 ? parseInt64(values[0]) : undefined;
      if (actual === undefined || bound === undefined) return false;
      return operator === 'Gt' ? actual > bound : actual < bound;
    }
  }
}

function isSetOperator(operator: string): operator is 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' {
  return needsValues(operator) || operator === 'Exists' || operator === 'DoesNotExist';
}

function needsValues(operator: string): operator is 'In' | 'NotIn' {
  return operator === 'In' || operator === 'NotIn';
}
