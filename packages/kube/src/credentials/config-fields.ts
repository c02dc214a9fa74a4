import { CredentialError } from './credential-error.ts';

/** Reads one mapping of a configuration file; whatever has the wrong type is an error that names file, field, value. */
export class ConfigFields {
  readonly #file: string;
  readonly #path: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(file: string, path: string, value: unknown) {
    this.#file = file;
    this.#path = path;
    if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value))) {
      this.fail(undefined, value, 'a mapping');
    }
    this.#values = typeof value === 'object' && value !== null ? { ...value } : {};
  }

  get file(): string {
    return this.#file;
  }

  /** Fails with `file: path.field: value; allowed: …`. */
  fail(field: string | undefined, value: unknown, allowed: string): never {
    const at = [this.#path, field].filter((part) => part !== undefined && part !== '').join('.');
    const where = at === '' ? '' : `${at}: `;
    throw new CredentialError(`${this.#file}: ${where}${shown(value)}; allowed: ${allowed}`);
  }

  /** Fails with a sentence of its own about a field. */
  refuse(field: string, problem: string): never {
    throw new CredentialError(
      `${this.#file}: ${this.#path === '' ? '' : `${this.#path}.`}${field}: ${problem}`,
    );
  }

  has(field: string): boolean {
    const value = this.#values[field];
    return value !== undefined && value !== null;
  }

  raw(field: string): unknown {
    return this.#values[field];
  }

  /** Undefined where absent or empty: kubeconfig writers leave empty strings. */
  text(field: string): string | undefined {
    const value = this.#values[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') return this.fail(field, value, 'a string');
    return value;
  }

  requiredText(field: string): string {
    return this.text(field) ?? this.fail(field, undefined, 'a string');
  }

  flag(field: string): boolean {
    const value = this.#values[field];
    if (value === undefined || value === null) return false;
    if (typeof value !== 'boolean') return this.fail(field, value, 'true, false');
    return value;
  }

  oneOf<T extends string>(field: string, allowed: readonly T[]): T | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    return allowed.find((each) => each === value) ?? this.fail(field, value, allowed.join(', '));
  }

  texts(field: string): readonly string[] {
    const value = this.#values[field];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return this.fail(field, value, 'a list of strings');
    return value.map((each: unknown) =>
      typeof each === 'string' ? each : this.fail(field, value, 'a list of strings'),
    );
  }

  /** Decoded base64, as text. */
  base64(field: string): string | undefined {
    const value = this.text(field)?.replaceAll(/\s/g, '');
    if (value === undefined) return undefined;
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) {
      return this.refuse(field, 'is not base64');
    }
    return Buffer.from(value, 'base64').toString('utf8');
  }

  child(field: string): ConfigFields {
    return new ConfigFields(
      this.#file,
      this.#path === '' ? field : `${this.#path}.${field}`,
      this.#values[field],
    );
  }

  /** The mappings of a list. */
  children(field: string): readonly ConfigFields[] {
    const value = this.#values[field];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return this.fail(field, value, 'a list');
    const base = this.#path === '' ? field : `${this.#path}.${field}`;
    return value.map((each: unknown, index) => new ConfigFields(this.#file, `${base}[${index}]`, each));
  }

  /** Name and value of each entry of a mapping. */
  entries(field: string): readonly (readonly [string, unknown])[] {
    const child = this.child(field);
    return Object.entries(child.#values);
  }
}

/** So many characters of a value show which one it is; more could be somebody's secret in the wrong place. */
const shownCharacters = 40;

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  const text = JSON.stringify(value);
  return text.length <= shownCharacters ? text : `a text of ${text.length - 2} characters`;
}
