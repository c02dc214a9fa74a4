import { isQuantity } from '@atoll/kube';

/** Maps of a pod's containers, volumes and overhead from resource names to quantities. */
const quantityMaps = new Set(['requests', 'limits', 'overhead']);
const quantityFields = new Set(['sizeLimit', 'divisor']);

/** The paths of everything in a child that should be a quantity and is none. */
export function badQuantities(child: object): readonly string[] {
  const bad: string[] = [];
  const open: Place[] = [{ value: child, path: '' }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const below: Place[] = [];
    for (const { name, value, path } of valuesOf(place)) {
      if (quantityFields.has(name)) {
        if (!isQuantity(value)) bad.push(path);
      } else if (typeof value === 'object' && value !== null) {
        if (quantityMaps.has(name)) bad.push(...badValues(value, path));
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

function badValues(quantities: object, path: string): readonly string[] {
  return Object.entries(quantities).flatMap(([name, quantity]) =>
    isQuantity(quantity) ? [] : [`${path}.${name}`],
  );
}
