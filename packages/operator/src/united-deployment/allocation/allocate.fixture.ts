import type { IntOrPercent } from '@atoll/kube';
import type { AllocationInput, SubsetNumbers, SubsetStanding } from './allocation.ts';

export const idle: SubsetStanding = {
  replicas: 0,
  readyReplicas: 0,
  scheduledReplicas: 0,
  unschedulable: false,
  reservedPods: 0,
  marked: false,
};

/** `1 50% –`: one number for each subset, `–` for none. */
function numbers(text: string): (IntOrPercent | undefined)[] {
  return text
    .split(' ')
    .map((each) => (each === '–' ? undefined : /^-?\d+$/.test(each) ? Number(each) : each));
}

/** Subsets a, b, c … with `replicas`. */
export function specified(text: string): SubsetNumbers[] {
  return numbers(text).map((replicas, i) => ({
    name: nameOf(i),
    ...(replicas === undefined ? {} : { replicas }),
  }));
}

/** `2/5 –/–`: subsets a, b, c … with `minReplicas` and `maxReplicas`. */
export function bounded(text: string): SubsetNumbers[] {
  return text.split(' ').map((pair, i) => {
    const [minReplicas, maxReplicas] = numbers(pair.replace('/', ' '));
    return {
      name: nameOf(i),
      ...(minReplicas === undefined ? {} : { minReplicas }),
      ...(maxReplicas === undefined ? {} : { maxReplicas }),
    };
  });
}

/** `none`, or what each child has: `1 4 2`. */
export function children(text: string): AllocationInput['current'] {
  if (text === 'none') return {};
  return standings(text.split(' ').map((replicas) => ({ replicas: Number(replicas) })));
}

/** `3* 5`: ready pods of each subset, `*` where it is unschedulable. */
export function readiness(text: string): AllocationInput['current'] {
  if (text === 'none') return {};
  return standings(
    text.split(' ').map((each) => {
      const ready = Number.parseInt(each, 10);
      return {
        replicas: ready,
        readyReplicas: ready,
        scheduledReplicas: ready,
        unschedulable: each.endsWith('*'),
      };
    }),
  );
}

/** What each child has, and its reserved pods: `m` where the subset is marked and has none. */
export function reservations(replicas: string, reserved: string): AllocationInput['current'] {
  const present = replicas.split(' ').map(Number);
  return standings(
    reserved.split(' ').map((each, i) => {
      const reservedPods = each === 'm' ? 0 : Number(each);
      return {
        replicas: present[i] ?? 0,
        reservedPods,
        unschedulable: reservedPods > 0,
        marked: each === 'm' || reservedPods > 0,
      };
    }),
  );
}

export function standings(given: readonly Partial<SubsetStanding>[]): AllocationInput['current'] {
  return Object.fromEntries(given.map((standing, i) => [nameOf(i), { ...idle, ...standing }]));
}

export function nameOf(i: number): string {
  return 'abcdefghij'.charAt(i);
}
