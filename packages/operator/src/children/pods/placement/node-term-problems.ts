import type { Subset } from '@atoll/api';
import { dns1123SubdomainProblems, labelValueProblems, qualifiedNameProblems } from '@atoll/kube';
import type { FieldProblem } from '../../../engine/problems/field-problem.ts';
import { problemsOfValue } from '../../../engine/problems/problems-of-value.ts';

type Term = NonNullable<Subset['nodeSelectorTerm']>;
type Requirement = NonNullable<Term['matchExpressions']>[number];

/** What is wrong with a value that is compared with a label. */
export type LabelProblems = (operator: string, value: string) => readonly string[];

const largest = 2n ** 63n - 1n;

/**
 * What the API server would refuse of a term of a node affinity, and the scheduler of its numbers. Source:
 * `ValidateNodeSelectorTerm`, Kubernetes 1.36; `labels.NewRequirement`.
 */
export function nodeTermProblems(
  { matchExpressions = [], matchFields = [] }: Term,
  at: string,
  labelProblems: LabelProblems = problemsOfLabel,
): readonly FieldProblem[] {
  return [
    ...matchExpressions.flatMap((each, index) =>
      expressionProblems(each, `${at}.matchExpressions[${index}]`, labelProblems),
    ),
    ...matchFields.flatMap((each, index) => fieldProblems(each, `${at}.matchFields[${index}]`)),
  ];
}

function expressionProblems(
  { key, operator, values = [] }: Requirement,
  at: string,
  labelProblems: LabelProblems,
): readonly FieldProblem[] {
  return [
    ...problemsOfValue(`${at}.key`, key, qualifiedNameProblems(key)),
    ...countProblems(operator, values.length, at),
    // Of every operator, so that no number has a sign.
    ...values.flatMap((value, each) =>
      problemsOfValue(`${at}.values[${each}]`, value, labelProblems(operator, value)),
    ),
  ];
}

function problemsOfLabel(operator: string, value: string): readonly string[] {
  return operator === 'Gt' || operator === 'Lt' ? numberProblems(value) : labelValueProblems(value);
}

function countProblems(operator: string, count: number, at: string): readonly FieldProblem[] {
  const values = (what: string): readonly FieldProblem[] => [
    { field: `${at}.values`, message: `must hold ${what} for the operator ${operator}, and holds ${count}` },
  ];
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : values('at least one value');
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : values('one value');
    case 'Exists':
    case 'DoesNotExist':
      return count === 0 ? [] : values('no value');
    default:
      return problemsOfValue(`${at}.operator`, operator, [
        'must be In, NotIn, Exists, DoesNotExist, Gt or Lt',
      ]);
  }
}

function numberProblems(value: string): readonly string[] {
  const fits = /^[0-9]+$/.test(value) && BigInt(value) <= largest;
  return fits ? [] : [`must be a whole number from 0 to ${largest}`];
}

/** The name is all that a node can be chosen by, and an operator takes one. */
function fieldProblems({ key, operator, values = [] }: Requirement, at: string): readonly FieldProblem[] {
  return [
    ...problemsOfValue(`${at}.key`, key, key === 'metadata.name' ? [] : ['must be metadata.name']),
    ...problemsOfValue(
      `${at}.operator`,
      operator,
      ['In', 'NotIn'].includes(operator) ? [] : ['must be In or NotIn'],
    ),
    ...(values.length === 1
      ? []
      : [{ field: `${at}.values`, message: `must hold one value, and holds ${values.length}` }]),
    ...values.flatMap((value, each) =>
      problemsOfValue(`${at}.values[${each}]`, value, dns1123SubdomainProblems(value)),
    ),
  ];
}
