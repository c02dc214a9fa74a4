import { z } from 'zod';
import { conditionsDescription } from '../condition.ts';
import { int64, listMap, timestamp } from '../markers.ts';

/** A condition as the old operator writes it, with the generation that it is about. */
export const extendedCondition = z.strictObject({
  type: z.string().describe('What the condition is about, as in Ready or Canary-Paused.'),
  status: z.string().describe('True, False or Unknown.'),
  lastTransitionTime: timestamp().describe('When the status changed.').optional(),
  lastUpdateTime: timestamp()
    .describe('When it was last found to be so; written by the old conditions only.')
    .optional(),
  reason: z
    .string()
    .describe('Why; a False condition of the old operator keeps that of the time when it was True.')
    .optional(),
  message: z.string().describe('What is wrong or awaited, of which object, and what to do.').optional(),
  observedGeneration: int64()
    .describe('The generation of the object that this condition is about.')
    .optional(),
});

export const extendedConditions = listMap(extendedCondition, 'type').describe(conditionsDescription);
