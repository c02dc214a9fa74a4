import { isFields, type Fields } from '../values/fields.ts';
import { formatQuantity, isQuantity, parseQuantity } from '../values/quantity.ts';
import { jsonText } from '../values/json-text.ts';
import { ownField } from '../values/own-field.ts';
import { setField } from '../values/set-field.ts';
import { CanonicalText, canonicalJson } from '../values/stable-hash.ts';

/*
 * Whether two objects mean the same, decided without their schema. Go decides by type (`equality.Semantic`); JSON
 * has no types, so the few places where the rule differs are known by field name.
 */

/** Maps whose keys and values are the user's: presence counts, and texts are texts. */
const opaqueMaps = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'data',
  'stringData',
  'binaryData',
  'selector',
  'parameters',
]);

/** Maps from resource names to quantities. */
const quantityMaps = new Set([
  'requests',
  'limits',
  'capacity',
  'allocatable',
  'overhead',
  'hard',
  'used',
  'allocatedResources',
]);

/** Single fields that hold a quantity. */
const quantityFields = new Set(['sizeLimit', 'divisor', 'storage', 'averageValue']);

/** Fields where `{}` or `""` means something else than no field: "everything" and "none" instead of "by default". */
const emptyIsMeant = new Set([
  'labelSelector',
  'namespaceSelector',
  'podSelector',
  'objectSelector',
  'selector',
  'emptyDir',
  'storageClassName',
]);

/** Switches of pods that the API server does not keep where they are off. Of others, `false` may mean something else than no field. */
const falseIsAbsent = new Set(['hostNetwork', 'hostPID', 'hostIPC', 'stdin', 'stdinOnce', 'tty', 'readOnly']);

/**
 * What becomes of a 0 that the API server does not keep (`int32` with `omitempty`): it is absent, or the default of the field. Of others, 0 means
 * something else than no field.
 */
const zeroBecomes: Readonly<Record<string, number | undefined>> = {
  hostPort: undefined,
  initialDelaySeconds: undefined,
  minReadySeconds: undefined,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};

/** Lists that the API server merges by key; what a list is not named here for is compared as a whole. */
const mergeKeys: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  env: ['name'],
  volumes: ['name'],
  imagePullSecrets: ['name'],
  resourceClaims: ['name'],
  schedulingGates: ['name'],
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  ports: ['containerPort', 'port', 'protocol'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  conditions: ['type'],
  ownerReferences: ['uid'],
};

/** What a merge key is taken for where it is absent. */
const mergeKeyDefaults: Readonly<Record<string, string>> = { protocol: 'TCP' };

/**
 * Whether two values mean the same to Kubernetes: the order of keys is nothing; null, absent, `[]`, `{}` and `""`
 * are the same (but for the fields where emptiness is meant, and inside labels and other maps of the user's), and so is
 * `false` for the switches of pods that are off by default;
 * quantities are compared by amount where a field holds quantities. What a map is, its name says: labels, or the data of a ConfigMap, are
 * to be compared as the fields of an object, `{ data }`.
 */
export function semanticallyEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(normalised(a)) === canonicalJson(normalised(b));
}

/**
 * The value as {@link semanticallyEqual} sees it: without what is empty, with canonical quantities. Equal meaning
 * has equal normal form, so that it can be hashed.
 */
export function normalised(value: unknown): unknown {
  return normalise(value, '', 'typed') ?? null;
}

/** The text of the normal form of what `form` makes of a value, made once for each frozen value: for what many objects share. */
export function normalisedOnce<Value extends object>(
  form: (value: Value) => unknown,
): (value: Value) => CanonicalText {
  const known = new WeakMap<Value, CanonicalText>();
  return (value) => {
    const text = known.get(value) ?? new CanonicalText(normalised(form(value)));
    if (Object.isFrozen(value)) known.set(value, text);
    return text;
  };
}

/**
 * Whether `live` already holds everything that `wanted` sets, as {@link semanticallyEqual} compares. What only
 * `live` has (defaults, fields of others) does not matter; nor does a 0 or a `paused: false` that the API server does not
 * keep. These are no part of the normal form, because hashes of it are remembered. Lists that the API server merges by key may hold more
 * elements, but those wanted must stand in the wanted order; other lists must be as long as wanted. Fields that
 * were wanted once and are no longer cannot be seen here.
 */
export function containsWanted(live: unknown, wanted: unknown): boolean {
  const open: Pair[] = [];
  if (!holds(live, wanted, '', 'typed', open)) return false;
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) if (!holdsAll(pair, open)) return false;
  return true;
}

/** An object or a list that is wanted, and what there is of it; to be compared yet. */
interface Pair {
  readonly live: unknown;
  readonly wanted: object;
  readonly field: string;
  readonly context: Context;
}

/** `opaque`: inside a map of the user's. `quantities`: the values of the map are quantities. */
type Context = 'typed' | 'opaque' | 'quantities';

function contextIn(field: string, value: object, context: Context): Context {
  if (context === 'opaque') return 'opaque';
  if (quantityMaps.has(field)) return 'quantities';
  // A label selector (`selector: {matchLabels}`) is no map of the user's; a Service's or a Node's is.
  if (opaqueMaps.has(field) && Object.values(value).every((entry) => typeof entry === 'string'))
    return 'opaque';
  return 'typed';
}

/** undefined: the value is as good as absent. Of any depth: nothing here calls itself. */
function normalise(value: unknown, field: string, context: Context): unknown {
  let draft = draftOf(value, field, context);
  if (draft === undefined) return normalScalar(value, field, context);
  const around: Draft[] = [];
  for (;;) {
    const inner = goOn(draft);
    if (inner !== undefined) {
      around.push(draft);
      draft = inner;
      continue;
    }
    const normal = isAbsent(draft) ? undefined : draft.normal;
    draft = around.pop();
    if (draft === undefined) return normal;
    put(draft, normal);
  }
}

/** An object or a list whose normal form is being made. */
interface Draft {
  readonly values: Values;
  /** Of an object, its fields. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  readonly field: string;
  /** Of its values. */
  readonly context: Context;
  readonly normal: Record<string, unknown> | unknown[];
  /** How many of its values are in the normal form, or are being made. */
  at: number;
  isEmpty: boolean;
}

/** Of an object by name, of a list by place. */
type Values = Readonly<Record<string | number, unknown>>;

/** undefined: the value has nothing below it. */
function draftOf(value: unknown, field: string, context: Context): Draft | undefined {
  if (typeof value !== 'object' || value === null || value instanceof CanonicalText) return undefined;
  const values = value as Values;
  if (Array.isArray(value)) {
    const { length } = value;
    return { values, names: undefined, length, field, context, normal: [], at: 0, isEmpty: length === 0 };
  }
  const names = Object.keys(values);
  const inner = contextIn(field, value, context);
  return { values, names, length: names.length, field, context: inner, normal: {}, at: 0, isEmpty: true };
}

/** Takes value after value up to the next that has values of its own; undefined: all are taken. */
function goOn(draft: Draft): Draft | undefined {
  const { values, names, length, context } = draft;
  while (draft.at < length) {
    const field = names === undefined ? '' : (names[draft.at] ?? '');
    const value = values[names === undefined ? draft.at : field];
    draft.at += 1;
    const inner = typeof value === 'object' ? draftOf(value, field, context) : undefined;
    if (inner !== undefined) return inner;
    put(draft, normalScalar(value, field, context));
  }
  return undefined;
}

function put(draft: Draft, normal: unknown): void {
  const { normal: into, names } = draft;
  // Elements keep their places: an empty element is not the same as none.
  if (Array.isArray(into)) into.push(normal ?? null);
  else if (normal !== undefined) {
    draft.isEmpty = false;
    setField(into, names?.[draft.at - 1] ?? '', normal);
  }
}

function isAbsent({ isEmpty, names, field }: Draft): boolean {
  return isEmpty && (names === undefined || !emptyIsMeant.has(field));
}

function normalScalar(value: unknown, field: string, context: Context): unknown {
  if (value === null || value === undefined) return undefined;
  if (value instanceof CanonicalText || context === 'opaque') return value;
  if (value === '') return emptyIsMeant.has(field) ? '' : undefined;
  if (value === false && falseIsAbsent.has(field)) return undefined;
  return asQuantity(value, field, context) ?? value;
}

/** Whether it holds as far as can be seen without looking inside; what is to be looked into goes to `open`. */
function holds(live: unknown, wanted: unknown, field: string, context: Context, open: Pair[]): boolean {
  if (wanted === null || wanted === undefined || live === wanted) return true;
  if (typeof wanted === 'object') {
    open.push({ live, wanted, field, context });
    return true;
  }
  const [there, asked] = [live, wanted].map((value) => (context === 'opaque' ? value : asKept(value, field)));
  return (
    canonicalJson(normalise(there, field, context) ?? null) ===
    canonicalJson(normalise(asked, field, context) ?? null)
  );
}

function asKept(value: unknown, field: string): unknown {
  if (value === 0 && Object.hasOwn(zeroBecomes, field)) return zeroBecomes[field];
  return value === false && field === 'paused' ? undefined : value;
}

function holdsAll({ live, wanted, field, context }: Pair, open: Pair[]): boolean {
  if (Array.isArray(wanted)) return holdsList(Array.isArray(live) ? live : [], wanted, field, context, open);
  if (!isFields(live)) {
    return (live === null || live === undefined) && normalise(wanted, field, context) === undefined;
  }
  const inner = contextIn(field, wanted, context);
  const entries = wanted as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(entries)) {
    const held = Object.hasOwn(live, key);
    if (inner === 'opaque' && !held) {
      if (entries[key] !== undefined) return false;
    } else if (!holds(held ? live[key] : undefined, entries[key], key, inner, open)) return false;
  }
  return true;
}

function holdsList(
  live: readonly unknown[],
  wanted: readonly unknown[],
  field: string,
  context: Context,
  open: Pair[],
): boolean {
  const keys = ownField(mergeKeys, field);
  if (keys === undefined || !wanted.every(isFields)) {
    return (
      live.length === wanted.length &&
      wanted.every((element, index) => holds(live[index], element, '', context, open))
    );
  }
  let next = 0;
  return wanted.every((element) => {
    const identity = identityOf(element, keys);
    // An empty element has the normal form null.
    const found = live.findIndex((other, index) => {
      const fields = other ?? {};
      return index >= next && isFields(fields) && identityOf(fields, keys) === identity;
    });
    if (found === -1) return false;
    next = found + 1;
    return holds(live[found], element, '', context, open);
  });
}

function identityOf(element: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  // What is empty is absent, also here.
  return jsonText(keys.map((key) => normalise(element[key], key, 'typed') ?? mergeKeyDefaults[key] ?? null));
}

/**
 * By what the API server merges an element of a list when it applies one: equal text, the same element. undefined: it replaces a list of this name as a
 * whole. `strategic merge` has other keys: of ports the number alone.
 */
export function mergeIdentityOf(list: string, element: Fields): string | undefined {
  const keys = ownField(mergeKeys, list);
  return keys === undefined ? undefined : identityOf(element, keys);
}

function asQuantity(value: unknown, field: string, context: Context): string | undefined {
  if (context !== 'quantities' && !quantityFields.has(field)) return undefined;
  if (!isQuantity(value)) return undefined;
  // The amount alone: 1024Mi and 1Gi, 1e3 and 1k are the same.
  return formatQuantity({ nano: parseQuantity(value).nano, format: 'DecimalSI' });
}
