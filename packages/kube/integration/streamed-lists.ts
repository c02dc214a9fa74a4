import { kubernetesMinorOf } from '@atoll/testbed';

/** Whether the API server begins a watch with the present content: 1.30 only does with a feature gate. */
export const listsAreStreamed = kubernetesMinorOf(process.env) !== 30;

/** Requests until a reflector follows: one stream, or one that is refused, a list and a watch. */
export const requestsToFollow = listsAreStreamed ? 1 : 3;
