import { z } from 'zod';
import { int64, listMap, timestamp } from '../markers.ts';

/** A condition as the old operator writes it, with the generation that it is about. */
export const extendedCondition = z.strictObject({
  type: z.string(),
  status: z.string().describe('True, False or Unknown.'),
  lastTransitionTime: timestamp().describe('When the status changed.').optional(),
  lastUpdateTime: timestamp()
    .describe('When it was last found to be so; written by the old conditions only.')
    .optional(),
  reason: z
    .string()
    .describe('Why; a False condition of the old operator keeps that of the time when it was True.')
    .optional(),
  message: z.string().optional(),
  observedGeneration: int64()
    .describe('The generation of the object that this condition is about.')
    .optional(),
});

export const extendedConditions = listMap(extendedCondition, 'type');
