import { isQuantity } from '@atoll/kube';
import type { FieldProblem } from './field-paths.ts';

/** Maps of a pod's containers, volumes and overhead from resource names to quantities. */
const quantityMaps = new Set(['requests', 'limits', 'overhead']);
const quantityFields = new Set(['sizeLimit', 'divisor']);

/** Everything in a child that should be a quantity and is none. The API server does not say where it found one. */
export function badQuantities(child: object): readonly FieldProblem[] {
  return search(child, '');
}

function search(value: unknown, path: string): readonly FieldProblem[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => search(element, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]: [string, unknown]) => {
    const at = path === '' ? key : `${path}.${key}`;
    if (quantityFields.has(key)) return judge(at, field);
    if (!quantityMaps.has(key) || typeof field !== 'object' || field === null) return search(field, at);
    return Object.entries(field).flatMap(([name, quantity]) => judge(`${at}.${name}`, quantity));
  });
}

function judge(field: string, value: unknown): readonly FieldProblem[] {
  if (isQuantity(value)) return [];
  const given = JSON.stringify(value).slice(0, 100);
  const message = `${given} is not a quantity; allowed is a number with an optional suffix, as 1.5, 500m or 2Gi`;
  return [{ field, message }];
}
