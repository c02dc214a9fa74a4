import { isQuantity, jsonExcerpt, parseQuantity, qualifiedNameProblems } from '@atoll/kube';
import type { WrittenResources } from './read-resources.ts';

type Amounts = Readonly<Record<string, unknown>>;

const kinds = ['limits', 'requests'] as const;
const standardNames: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/**
 * Why the API server would refuse a container with these resources; undefined: it would not. By its rules
 * (`ValidateContainerResourceRequirements`, Kubernetes 1.36), because a pod must not be deleted for a change that gives no new one.
 */
export function resourceProblem(written: WrittenResources): string | undefined {
  for (const kind of kinds) {
    const amounts: unknown = written[kind] ?? {};
    if (typeof amounts !== 'object' || amounts === null || Array.isArray(amounts)) return `${kind} is no map`;
    for (const [name, amount] of Object.entries(amounts as Amounts)) {
      const problem = amountProblem(name, amount);
      if (problem !== undefined) return `${kind}.${name} is ${jsonExcerpt(amount)}; ${problem}`;
    }
  }
  const limits = written.limits ?? {};
  const requests = written.requests ?? {};
  for (const [name, amount] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit === undefined) {
      if (isOvercommittable(name)) continue;
      return `requests.${name} is ${amount}; limits.${name} must be the same`;
    }
    const [asked, most] = [parseQuantity(amount).nano, parseQuantity(limit).nano];
    if (asked > most)
      return `requests.${name} is ${amount}; it must not be more than limits.${name}, which is ${limit}`;
    if (asked !== most && !isOvercommittable(name))
      return `requests.${name} is ${amount}; it must be the same as limits.${name}, which is ${limit}`;
  }
  const names = new Set([...Object.keys(limits), ...Object.keys(requests)]);
  const hugePages = [...names].find(isHugePages);
  if (hugePages === undefined || names.has('cpu') || names.has('memory')) return undefined;
  return `${hugePages} is asked for alone; cpu or memory must be asked for too`;
}

function amountProblem(name: string, amount: unknown): string | undefined {
  const isOwn = !name.includes('/');
  if (isOwn && !standardNames.includes(name) && !isHugePages(name))
    return `${name} is no resource of containers: use cpu, memory, ephemeral-storage, hugepages-<size> or <domain>/<name>`;
  if (!isOwn && qualifiedNameProblems(name).length > 0) return `${name} is no name of a resource`;
  if (!isQuantity(amount)) return 'it must be a quantity, as 500m or 2Gi';
  const { nano } = parseQuantity(amount);
  if (nano < 0n) return 'it must be at least 0';
  if (isExtended(name) && nano % 1_000_000_000n !== 0n) return 'it must be a whole number';
  return undefined;
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Those of devices: of them an amount is reserved or not, and never shared. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

function isOvercommittable(name: string): boolean {
  return !isExtended(name) && !isHugePages(name);
}
