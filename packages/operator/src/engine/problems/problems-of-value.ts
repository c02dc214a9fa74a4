import type { FieldProblem } from './field-problem.ts';

/** What is wrong with a value, behind the value. */
export function problemsOfValue(
  field: string,
  value: string | number,
  problems: readonly string[],
): readonly FieldProblem[] {
  return problems.map((problem) => ({ field, message: `${JSON.stringify(value)} ${problem}` }));
}
