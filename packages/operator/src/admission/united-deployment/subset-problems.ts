import type { Subset } from '@atoll/api';
import { dns1123LabelProblems } from '@atoll/kube';
import type { ChangedSubset } from './changed-subsets.ts';
import type { FieldProblem } from '../../engine/problems/field-problem.ts';
import { nodeTermProblems } from '../../children/pods/placement/node-term-problems.ts';
import { problemsOfValue } from '../../engine/problems/problems-of-value.ts';
import { tolerationProblems } from '../../children/pods/placement/toleration-problems.ts';

/**
 * What is wrong with what changes of a subset, where its schema cannot express it: the syntax of labels and taints, as the API
 * server asks it of a pod, and percentages that contradict each other for every total. Also what the schema refuses, because
 * it forgives all subsets of an object that was stored with one mistake.
 */
export function subsetProblems({ subset, index, changes }: ChangedSubset): readonly FieldProblem[] {
  const { name, nodeSelectorTerm, tolerations } = subset;
  const at = `spec.topology.subsets[${index}]`;
  return [
    ...(changes('name') ? problemsOfValue(`${at}.name`, name, dns1123LabelProblems(name)) : []),
    ...(changes('minReplicas', 'maxReplicas') ? boundProblems(subset, at) : []),
    ...(changes('nodeSelectorTerm')
      ? nodeTermProblems(nodeSelectorTerm ?? {}, `${at}.nodeSelectorTerm`)
      : []),
    ...(changes('tolerations') ? tolerationProblems(tolerations ?? [], `${at}.tolerations`) : []),
  ].map(({ field, message }) => ({ field, message: `subset ${name}: ${message}` }));
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
