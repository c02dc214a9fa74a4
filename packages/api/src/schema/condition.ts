import { z } from 'zod';
import type { Condition } from '../condition.ts';
import { conditionTypes } from '../names.ts';
import { int64, timestamp } from './markers.ts';

/**
 * A condition as the old kinds carry it: every field optional, no enum, a plain list. Ours fill every field and add
 * the generation (`reference/conditions.md`).
 */
export const condition = z.strictObject({
  type: z.string().describe('What the condition is about, as in Ready or Progressing.').optional(),
  status: z.string().describe('True, False or Unknown.').optional(),
  lastTransitionTime: timestamp().describe('When the status changed last.').optional(),
  reason: z
    .string()
    .describe(
      'Why, in one word. Conditions that are kept from the operators before have the words of these, as in Error, or none.',
    )
    .optional(),
  message: z.string().describe('What is wrong or awaited, of which object, and what to do.').optional(),
  observedGeneration: int64()
    .describe('The generation of the object that this condition is about.')
    .optional(),
});

const unseen: Condition = {
  type: conditionTypes.ready,
  status: 'Unknown',
  lastTransitionTime: '1970-01-01T00:00:00Z',
  reason: 'NotYetObserved',
  message: 'waiting until the operator has seen this object. If this lasts, check that the operator runs',
};

/**
 * Metadata for `.meta()` of a status: what the API server shows until the operator has looked for the first time. Tools
 * that judge by conditions (kstatus: Argo CD, Flux) take an object without `Ready` for finished.
 */
export const unseenAtFirst = { default: { conditions: [unseen] } };

/** Of `status.conditions`. */
export const conditionsDescription = 'Whether the object is ready and moves, and why not; each type once.';
