import type { Subset } from '@atoll/api';
import { labelValueProblems, qualifiedNameProblems } from '@atoll/kube';
import type { ChangedSubset } from './changed-subsets.ts';
import type { FieldProblem } from './field-paths.ts';

type Requirements = NonNullable<NonNullable<Subset['nodeSelectorTerm']>['matchExpressions']>;

/**
 * What is wrong with what changes of a subset, where its schema cannot say it: the syntax of labels and taints, as the API
 * server asks it of a pod, and percentages that contradict each other for every total.
 */
export function subsetProblems({ subset, index, changes }: ChangedSubset): readonly FieldProblem[] {
  const at = `spec.topology.subsets[${index}]`;
  return [
    ...(changes('minReplicas', 'maxReplicas') ? boundProblems(subset, at) : []),
    ...(changes('nodeSelectorTerm') ? termProblems(subset.nodeSelectorTerm?.matchExpressions ?? [], at) : []),
    ...(changes('tolerations') ? tolerationProblems(subset, at) : []),
  ].map(({ field, message }) => ({ field, message: `subset ${subset.name}: ${message}` }));
}

function boundProblems({ minReplicas, maxReplicas }: Subset, at: string): readonly FieldProblem[] {
  const [least, most] = [percentOf(minReplicas), percentOf(maxReplicas)];
  if (least === undefined || most === undefined || least <= most) return [];
  return [
    {
      field: `${at}.minReplicas`,
      message: `minReplicas ${minReplicas} must not be greater than maxReplicas ${maxReplicas}`,
    },
  ];
}

function percentOf(value: Subset['replicas']): number | undefined {
  return typeof value === 'string' && value.endsWith('%') ? Number(value.slice(0, -1)) : undefined;
}

function termProblems(requirements: Requirements, at: string): readonly FieldProblem[] {
  return requirements.flatMap(({ key, operator, values = [] }, index) => {
    const field = `${at}.nodeSelectorTerm.matchExpressions[${index}]`;
    const labelled = operator === 'In' || operator === 'NotIn';
    return [
      ...told(`${field}.key`, key, qualifiedNameProblems(key)),
      ...(labelled ? values : []).flatMap((value, each) =>
        told(`${field}.values[${each}]`, value, labelValueProblems(value)),
      ),
    ];
  });
}

function tolerationProblems({ tolerations = [] }: Subset, at: string): readonly FieldProblem[] {
  return tolerations.flatMap(({ key = '', operator = 'Equal', value = '' }, index) => {
    const field = `${at}.tolerations[${index}]`;
    return [
      ...(key === '' ? [] : told(`${field}.key`, key, qualifiedNameProblems(key))),
      ...(operator === 'Equal' ? told(`${field}.value`, value, labelValueProblems(value)) : []),
    ];
  });
}

function told(field: string, value: string, problems: readonly string[]): readonly FieldProblem[] {
  return problems.map((problem) => ({ field, message: `${JSON.stringify(value)} ${problem}` }));
}
