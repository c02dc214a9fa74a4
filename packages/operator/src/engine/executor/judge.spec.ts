import { ApiError } from '@atoll/kube';
import { expect, it } from 'vitest';
import { isPreconditionFailure } from './judge.ts';

function refused(code: number, reason: string, ...fields: readonly string[]): ApiError {
  const causes = fields.map((field) => ({ reason: 'FieldValueInvalid', message: 'is wrong', field }));
  const status = fields.length === 0 ? {} : { status: { details: { causes } } };
  return new ApiError({ fate: 'refused', code, reason, attempted: 'apply', message: 'no', ...status });
}

it.each([
  ['a conflict', refused(409, 'Conflict'), true],
  ['422 on the uid: another object has the name', refused(422, 'Invalid', 'metadata.uid'), true],
  ['422 on the uid among others', refused(422, 'Invalid', 'spec.x', 'metadata.uid'), true],
  ['422 on a field of the spec', refused(422, 'Invalid', 'spec.replicas'), false],
  ['422 without causes', refused(422, 'Invalid'), false],
  ['a quota', refused(403, 'Forbidden', 'metadata.uid'), false],
])('whether the object is not as it was planned for: %s', (_, error, is) => {
  expect(isPreconditionFailure(error)).toBe(is);
});
