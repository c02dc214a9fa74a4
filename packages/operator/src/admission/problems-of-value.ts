import type { FieldProblem } from './trials/field-paths.ts';

/** What is wrong with a value, behind the value. */
export function problemsOfValue(
  field: string,
  value: string | number,
  problems: readonly string[],
): readonly FieldProblem[] {
  return problems.map((problem) => ({ field, message: `${JSON.stringify(value)} ${problem}` }));
}
