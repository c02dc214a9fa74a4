import { kubernetesMinorOf } from '@atoll/testbed';

/** Whether the API server begins a watch with the present content: 1.30, 1.31 and 1.33 only do with a feature gate. */
export const listsAreStreamed = ![30, 31, 33].includes(kubernetesMinorOf(process.env));

/** Requests until a reflector follows: one stream, or one that is refused, a list and a watch. */
export const requestsToFollow = listsAreStreamed ? 1 : 3;
