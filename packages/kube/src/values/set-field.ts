/** Sets a field of an object of JSON, whatever it is called: by a plain assignment `__proto__` would set the prototype. */
export function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') fields[name] = value;
  else Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}
