/** What is wrong with a field. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}
