export interface FoundCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Conditions with the same reason and message as one line. */
export function conditionLines(conditions: readonly FoundCondition[]): readonly string[] {
  const alike = new Map<string, string[]>();
  for (const { type, status: value, reason = '', message = '' } of conditions) {
    const text = reason === '' ? message : `${reason}: ${message}`.trimEnd();
    const types = alike.get(text) ?? [];
    types.push(`${type}=${value}`);
    alike.set(text, types);
  }
  return [...alike].map(([text, types]) => `${types.join(' ')} ${text}`.trimEnd());
}
