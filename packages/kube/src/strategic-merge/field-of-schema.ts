import { ownField } from '../values/own-field.ts';
import type { PatchField, PatchSchema } from './patch-schema.ts';

/** How a field of the type is merged; undefined: in the plain way. */
export function fieldOfSchema({ fields = {} }: PatchSchema, key: string): PatchField | undefined {
  return ownField(fields, key);
}
