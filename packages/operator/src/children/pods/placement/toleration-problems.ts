import type { Subset } from '@atoll/api';
import { labelValueProblems, qualifiedNameProblems } from '@atoll/kube';
import type { FieldProblem } from '../../../engine/problems/field-problem.ts';
import { problemsOfValue } from '../../../engine/problems/problems-of-value.ts';

type Toleration = NonNullable<Subset['tolerations']>[number];

const effects = ['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/**
 * What the API server would refuse of a pod's tolerations. Whether it takes `Lt` and `Gt` depends on its feature gates,
 * so it is asked (`subset-trials.ts`). Source: `ValidateTolerations`, Kubernetes 1.36.
 */
export function tolerationProblems(tolerations: readonly Toleration[], at: string): readonly FieldProblem[] {
  return tolerations.flatMap((toleration, index) => {
    const field = `${at}[${index}]`;
    return [
      ...keyProblems(toleration, `${field}.key`),
      ...valueProblems(toleration, field),
      ...effectProblems(toleration, field),
    ];
  });
}

function keyProblems({ key = '', operator = '' }: Toleration, field: string): readonly FieldProblem[] {
  if (key !== '') return problemsOfValue(field, key, qualifiedNameProblems(key));
  return problemsOfValue(
    field,
    key,
    operator === 'Exists' ? [] : ['must not be empty without the operator Exists'],
  );
}

function valueProblems({ operator = '', value = '' }: Toleration, field: string): readonly FieldProblem[] {
  switch (operator) {
    case '':
    case 'Equal':
      return problemsOfValue(`${field}.value`, value, labelValueProblems(value));
    case 'Exists':
      return problemsOfValue(
        `${field}.value`,
        value,
        value === '' ? [] : ['must be left out with the operator Exists'],
      );
    case 'Lt':
    case 'Gt':
      return problemsOfValue(`${field}.value`, value, numberProblems(value, operator));
    default:
      return problemsOfValue(`${field}.operator`, operator, ['must be Exists or Equal, or Lt or Gt']);
  }
}

function numberProblems(value: string, operator: string): readonly string[] {
  const written = /^(?:0|-?[1-9][0-9]*)$/.test(value);
  const fits = written && BigInt.asIntN(64, BigInt(value)) === BigInt(value);
  if (fits) return [];
  return [
    `must be a whole number of 64 bits without a plus or zeros before it, with the operator ${operator}`,
  ];
}

function effectProblems(
  { effect = '', tolerationSeconds }: Toleration,
  field: string,
): readonly FieldProblem[] {
  if (!effects.includes(effect)) {
    return problemsOfValue(`${field}.effect`, effect, [
      'must be NoSchedule, PreferNoSchedule, NoExecute or left out',
    ]);
  }
  if (tolerationSeconds === undefined || effect === 'NoExecute') return [];
  return problemsOfValue(`${field}.tolerationSeconds`, tolerationSeconds, ['needs the effect NoExecute']);
}
