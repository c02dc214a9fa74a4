import { describe, expect, it } from 'vitest';
import { ApiError, type ApiStatus } from '@atoll/kube';
import { judgeRefusal, type TrialVerdict } from './judge-refusal.ts';

function refusal(
  code: number,
  reason: string,
  message: string,
  details: ApiStatus['details'] = {},
): ApiError {
  const status = { code, reason, message, details };
  return new ApiError({
    fate: 'refused',
    code,
    reason,
    message,
    attempted: 'create deployments.apps x/y',
    status,
  });
}

const badMemory = {
  spec: { template: { spec: { containers: [{ resources: { limits: { cpu: '1', memory: '1 GB' } } }] } } },
};

const quoted =
  'Deployment.apps "y" is invalid: metadata.labels: Invalid value: "deployments.apps is forbidden: ' +
  `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no": must be no more than 63 bytes`;

// Messages as kube-apiserver v1.36.3 writes them.
describe('a refusal', () => {
  it.each<readonly [string, ApiError, TrialVerdict]>([
    [
      'of validation names fields',
      refusal(422, 'Invalid', 'Deployment.apps "y" is invalid: …', {
        causes: [{ field: 'spec.template.spec.containers[0].image', message: 'Required value' }],
      }),
      {
        outcome: 'invalid',
        problems: [{ field: 'spec.template.spec.containers[0].image', message: 'Required value' }],
      },
    ],
    ...[
      [
        422,
        `deployments.apps "y" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
      ],
      [
        422,
        `deployments.apps "y" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: no such kind`,
      ],
      // Those of a MutatingAdmissionPolicy have the reason with another code.
      [403, "policy 'p' with binding 'b' denied request: expression 'x' resulted in error: no such key: y"],
    ].map(
      ([code, message]) =>
        [
          `of a policy is not the fault of the template, whatever its reason (${message})`,
          refusal(Number(code), 'Invalid', String(message), { causes: [{ message: String(message) }] }),
          { outcome: 'refused', why: String(message) },
        ] as const,
    ),
    [
      'of validation that quotes the words of a policy is one of validation',
      refusal(422, 'Invalid', quoted, { causes: [{ field: 'metadata.labels', message: quoted }] }),
      { outcome: 'invalid', problems: [{ field: 'metadata.labels', message: quoted }] },
    ],
    [
      'of strict decoding names unknown and doubled fields',
      refusal(
        400,
        'BadRequest',
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica", duplicate field "spec.paused"',
      ),
      {
        outcome: 'invalid',
        problems: [
          { field: 'spec.replica', message: 'unknown field' },
          { field: 'spec.paused', message: 'the field is given more than once' },
        ],
      },
    ],
    [
      'of decoding names the field and its type',
      refusal(
        400,
        'BadRequest',
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.image of type string',
      ),
      {
        outcome: 'invalid',
        problems: [
          { field: 'spec.template.spec.containers.image', message: 'is a number, but must be a string' },
        ],
      },
    ],
    ...[
      'Deployment in version "v1" cannot be handled as a Deployment: quantities must match the regular expression',
      `Deployment in version "v1" cannot be handled as a Deployment: unable to parse quantity's suffix`,
      `failed to convert new object (x/y; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: unable to parse quantity's suffix`,
    ].map(
      (message) =>
        [
          `of a quantity is found in the child (${message.slice(0, 10)}…${message.slice(-20)})`,
          refusal(400, 'BadRequest', message),
          {
            outcome: 'invalid',
            problems: [
              {
                field: 'spec.template.spec.containers[0].resources.limits.memory',
                message:
                  '"1 GB" is not a quantity; allowed is a number with an optional suffix, as 1.5, 500m or 2Gi',
              },
            ],
          },
        ] as const,
    ),
    [
      'of a conversion without a place is about the template as a whole',
      refusal(
        400,
        'BadRequest',
        'failed to convert new object (x/y; apps/v1, Kind=Deployment) to proper version: unable to convert unstructured object to apps/v1, Kind=Deployment: cannot convert float64 to int32',
      ),
      { outcome: 'invalid', problems: [{ field: '', message: 'cannot convert float64 to int32' }] },
    ],
    [
      'of an apply names the field that the schema does not have',
      refusal(
        400,
        'BadRequest',
        'failed to create typed patch object (x/y; apps/v1, Kind=Deployment): .spec.template.spec.containers[name="web"].imagee: field not declared in schema',
      ),
      {
        outcome: 'invalid',
        problems: [
          {
            field: 'spec.template.spec.containers[name="web"].imagee',
            message: 'field not declared in schema',
          },
        ],
      },
    ],
    [
      'because the name is taken comes after validation',
      refusal(409, 'AlreadyExists', 'x'),
      { outcome: 'fine' },
    ],
    [
      'because the child changed says nothing of the template',
      refusal(409, 'Conflict', 'x'),
      { outcome: 'fine' },
    ],
    [
      'because the child is gone says nothing of the template',
      refusal(404, 'NotFound', 'x'),
      { outcome: 'fine' },
    ],
    [
      'of a quota is not the fault of the template',
      refusal(403, 'Forbidden', 'exceeded quota'),
      { outcome: 'refused', why: 'exceeded quota' },
    ],
    [
      'of another webhook that cannot be tried is no verdict',
      refusal(400, 'BadRequest', 'admission webhook "x" does not support dry run'),
      { outcome: 'unknown', why: 'admission webhook "x" does not support dry run' },
    ],
    [
      'of an API server in trouble is no verdict',
      refusal(500, 'InternalError', 'etcdserver: request timed out'),
      { outcome: 'unknown', why: 'etcdserver: request timed out' },
    ],
  ])('%s', (_, error, verdict) => {
    expect(judgeRefusal(error, badMemory)).toEqual(verdict);
  });
});
