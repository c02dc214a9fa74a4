import { formatQuantity, isQuantity, parseQuantity } from './quantity.ts';
import { CanonicalText, canonicalJson } from './stable-hash.ts';

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

/** Fields where `{}` or `""` says something else than no field: "everything" and "none" instead of "by default". */
const emptyIsMeant = new Set([
  'labelSelector',
  'namespaceSelector',
  'podSelector',
  'objectSelector',
  'selector',
  'emptyDir',
  'storageClassName',
]);

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
 * are the same (but for the fields where emptiness is meant, and inside labels and other maps of the user's);
 * quantities are compared by amount where a field holds quantities.
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
 * `live` has (defaults, fields of others) does not matter. Lists that the API server merges by key may hold more
 * elements, but those wanted must stand in the wanted order; other lists must be as long as wanted. Fields that
 * were wanted once and are no longer cannot be seen here.
 */
export function containsWanted(live: unknown, wanted: unknown): boolean {
  return contains(live, wanted, '', 'typed');
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

function normalise(value: unknown, field: string, context: Context): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    // Elements keep their places: an empty element is not the same as none.
    return value.length === 0 ? undefined : value.map((element) => normalise(element, '', context) ?? null);
  }
  if (value instanceof CanonicalText) return value;
  if (typeof value === 'object') return normaliseObject(value, field, context);
  if (context === 'opaque') return value;
  if (value === '') return emptyIsMeant.has(field) ? '' : undefined;
  return asQuantity(value, field, context) ?? value;
}

function normaliseObject(value: object, field: string, context: Context): unknown {
  const inner = contextIn(field, value, context);
  const fields = value as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = {};
  let isEmpty = true;
  for (const key of Object.keys(fields)) {
    const normal = normalise(fields[key], key, inner);
    if (normal === undefined) continue;
    isEmpty = false;
    // As a plain assignment it would set the prototype.
    if (key === '__proto__') Object.defineProperty(result, key, { value: normal, enumerable: true });
    else result[key] = normal;
  }
  return isEmpty && !emptyIsMeant.has(field) ? undefined : result;
}

function contains(live: unknown, wanted: unknown, field: string, context: Context): boolean {
  if (wanted === null || wanted === undefined || live === wanted) return true;
  if (Array.isArray(wanted)) return containsList(Array.isArray(live) ? live : [], wanted, field, context);
  if (typeof wanted !== 'object') {
    return (
      canonicalJson(normalise(live, field, context) ?? null) ===
      canonicalJson(normalise(wanted, field, context) ?? null)
    );
  }
  if (!isObject(live)) {
    return (live === null || live === undefined) && normalise(wanted, field, context) === undefined;
  }
  const inner = contextIn(field, wanted, context);
  const entries = wanted as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(entries)) {
    const held = Object.hasOwn(live, key);
    if (inner === 'opaque' && !held) {
      if (entries[key] !== undefined) return false;
    } else if (!contains(held ? live[key] : undefined, entries[key], key, inner)) return false;
  }
  return true;
}

function containsList(
  live: readonly unknown[],
  wanted: readonly unknown[],
  field: string,
  context: Context,
): boolean {
  const keys = mergeKeys[field];
  if (keys === undefined || !wanted.every(isObject)) {
    return (
      live.length === wanted.length &&
      wanted.every((element, index) => contains(live[index], element, '', context))
    );
  }
  let next = 0;
  return wanted.every((element) => {
    const identity = identityOf(element, keys);
    // An empty element has the normal form null.
    const found = live.findIndex((other, index) => {
      const fields = other ?? {};
      return index >= next && isObject(fields) && identityOf(fields, keys) === identity;
    });
    if (found === -1) return false;
    next = found + 1;
    return contains(live[found], element, '', context);
  });
}

function identityOf(element: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  // What is empty is absent, also here.
  return JSON.stringify(
    keys.map((key) => normalise(element[key], key, 'typed') ?? mergeKeyDefaults[key] ?? null),
  );
}

function asQuantity(value: unknown, field: string, context: Context): string | undefined {
  if (context !== 'quantities' && !quantityFields.has(field)) return undefined;
  if (!isQuantity(value)) return undefined;
  // The amount alone: 1024Mi and 1Gi, 1e3 and 1k are the same.
  return formatQuantity({ nano: parseQuantity(value).nano, format: 'DecimalSI' });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
