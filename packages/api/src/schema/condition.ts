import { z } from 'zod';
import { int64, timestamp } from './markers.ts';

/**
 * A condition as the old kinds carry it: every field optional, no enum, a plain list. Ours fill every field and add
 * the generation (`reference/conditions.md`).
 */
export const condition = z.strictObject({
  type: z.string().optional(),
  status: z.string().describe('True, False or Unknown.').optional(),
  lastTransitionTime: timestamp().optional(),
  reason: z.string().describe('One CamelCase word of the reason catalogue.').optional(),
  message: z.string().optional(),
  observedGeneration: int64()
    .describe('The generation of the object that this condition speaks of.')
    .optional(),
});
