import { z } from 'zod';
import { atomicList, embedded } from './markers.ts';

/** metav1.LabelSelector. Atomic, as the built-in kinds have it. */
export const labelSelector = z
  .strictObject({
    matchLabels: z
      .record(z.string(), z.string())
      .describe('Labels that an object must carry, each with exactly this value.')
      .optional(),
    matchExpressions: atomicList(
      z.strictObject({
        key: z.string().describe('The label that the requirement is about.'),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: atomicList(z.string())
          .describe('Required for In and NotIn, forbidden for the others.')
          .optional(),
      }),
    )
      .describe('Requirements; all of them must hold.')
      .optional(),
  })
  .meta({ 'x-kubernetes-map-type': 'atomic' });

/** The metadata of a template: labels and annotations are ours to read, anything else is kept. */
export const templateMetadata = embedded({
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
