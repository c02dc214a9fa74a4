import { isQuantity } from '@atoll/kube';

/** Maps of a pod's containers, volumes and overhead from resource names to quantities. */
const quantityMaps = new Set(['requests', 'limits', 'overhead']);
const quantityFields = new Set(['sizeLimit', 'divisor']);

/** The paths of everything in a child that should be a quantity and is none. */
export function badQuantities(child: object): readonly string[] {
  return search(child, '');
}

function search(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => search(element, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]: [string, unknown]) => {
    const at = path === '' ? key : `${path}.${key}`;
    if (quantityFields.has(key)) return isQuantity(field) ? [] : [at];
    if (!quantityMaps.has(key) || typeof field !== 'object' || field === null) return search(field, at);
    return Object.entries(field).flatMap(([name, quantity]) =>
      isQuantity(quantity) ? [] : [`${at}.${name}`],
    );
  });
}
