import { isQuantity, jsonExcerpt } from '@atoll/kube';

/** Where a value stands in the child, and what is wrong with it. */
export interface BadQuantity {
  readonly field: string;
  readonly message: string;
}

/** Maps of a pod's containers, volumes and overhead from resource names to quantities. */
const quantityMaps = new Set(['requests', 'limits', 'overhead']);
const quantityFields = new Set(['sizeLimit', 'divisor']);

/** Everything in a child that should be a quantity and is none. The API server's error has no path. */
export function badQuantities(child: object): readonly BadQuantity[] {
  const bad: BadQuantity[] = [];
  const open: Place[] = [{ value: child, path: '' }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const below: Place[] = [];
    for (const { name, value, path } of valuesOf(place)) {
      if (quantityFields.has(name)) bad.push(...judge(path, value));
      else if (typeof value === 'object' && value !== null) {
        if (quantityMaps.has(name)) bad.push(...judgeAll(value, path));
        else below.push({ value, path });
      }
    }
    open.push(...below.toReversed());
  }
  return bad;
}

/** An object or a list, and where it stands. */
interface Place {
  readonly value: object;
  readonly path: string;
}

interface Value {
  /** Elements of lists have none. */
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
}

function valuesOf({ value, path }: Place): readonly Value[] {
  if (Array.isArray(value))
    return value.map((element: unknown, index) => ({ name: '', value: element, path: `${path}[${index}]` }));
  return Object.entries(value).map(([name, field]: [string, unknown]) => ({
    name,
    value: field,
    path: path === '' ? name : `${path}.${name}`,
  }));
}

function judgeAll(quantities: object, path: string): readonly BadQuantity[] {
  return Object.entries(quantities).flatMap(([name, quantity]) => judge(`${path}.${name}`, quantity));
}

function judge(field: string, value: unknown): readonly BadQuantity[] {
  if (isQuantity(value)) return [];
  const message = `${jsonExcerpt(value)} is not a quantity; allowed is a number with an optional suffix, as 1.5, 500m or 2Gi`;
  return [{ field, message }];
}
