/** Whether a value is a text that is not empty. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
