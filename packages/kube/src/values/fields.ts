/** A JSON object of whose fields nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: no list, and not null. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is a JSON object, else one without fields. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
