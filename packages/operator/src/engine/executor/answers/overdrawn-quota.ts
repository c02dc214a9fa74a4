import { isQuantity, parseQuantity } from '@atoll/kube';

/** As the API server's quota admission words it (Kubernetes 1.36): amounts by resource, of those alone that are exceeded. */
const words = /exceeded quota: [^,]*, requested: [^ ]*, used: ([^ ]*), limited: ([^ ]*)/;

/**
 * Whether a quota that refused an object is used beyond what it allows, as where it was lowered: an object that takes the place of another one does not fit
 * either then. `asksTheSame`: it asks for as much as that one; otherwise this is known of what is counted by objects alone.
 */
export function isOverdrawn(message: string, asksTheSame: boolean): boolean {
  const [, used = '', limited = ''] = words.exec(message) ?? [];
  const limits = amountsIn(limited);
  return [...amountsIn(used)].some(([name, amount]) => {
    const limit = limits.get(name);
    return limit !== undefined && amount > limit && (asksTheSame || isCounted(name));
  });
}

/** `pods=40,requests.cpu=1` */
function amountsIn(text: string): ReadonlyMap<string, bigint> {
  return new Map(
    text.split(',').flatMap((each): readonly (readonly [string, bigint])[] => {
      const [name = '', amount = ''] = each.split('=');
      return isQuantity(amount) ? [[name, parseQuantity(amount).nano]] : [];
    }),
  );
}

function isCounted(resource: string): boolean {
  return resource === 'pods' || resource.startsWith('count/');
}
