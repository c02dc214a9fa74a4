import type { ResourceRequirements } from '@atoll/kube';

/** Resources as JSON holds them: an amount may be a number, and null is nothing, as for Go. */
export interface WrittenResources {
  readonly limits?: Readonly<Record<string, string | number>> | null;
  readonly requests?: Readonly<Record<string, string | number>> | null;
  readonly claims?: ResourceRequirements['claims'];
}

/** The same with amounts as texts, as pods are read. */
export function readResources({ limits, requests, claims }: WrittenResources): ResourceRequirements {
  return {
    ...(limits === undefined || limits === null ? {} : { limits: asTexts(limits) }),
    ...(requests === undefined || requests === null ? {} : { requests: asTexts(requests) }),
    ...(claims === undefined ? {} : { claims }),
  };
}

function asTexts(amounts: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}
