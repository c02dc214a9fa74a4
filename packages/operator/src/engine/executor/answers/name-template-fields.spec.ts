import { ApiError, deployments, type ApiStatus, type KubeObject, type Resource } from '@atoll/kube';
import { expect, it } from 'vitest';
import { judge } from './judge.ts';
import type { WriteStep } from '../requests/request.ts';

const resource = deployments as Resource<KubeObject>;
const template = 'spec.workloadTemplate.deploymentTemplate';
const containers = [{ name: 'web', resources: { limits: { memory: '5kk' } } }];
const object = {
  metadata: { namespace: 'edge', name: 'web-hz' },
  spec: { template: { spec: { containers } } },
} as KubeObject;
const why = { word: 'ChildCreated', message: '' } as const;
const of = { resource, object, template, why };
const steps: readonly WriteStep[] = [
  { ...of, do: 'create', managed: 'apply' },
  { ...of, do: 'apply', uid: 'u', resourceVersion: '1' },
  { ...of, do: 'try', uid: 'u', trial: 't' },
];

function answerTo(step: WriteStep, code: number, reason: string, status: ApiStatus): string {
  const { message = '' } = status;
  const error = new ApiError({ fate: 'refused', code, reason, attempted: 'apply', message, status });
  const verdict = judge(step, { ok: false, error });
  if (!('result' in verdict) || verdict.result.did !== 'failed') throw new Error('it did not fail');
  return verdict.result.error.message;
}

const image = 'spec.template.spec.containers[0].image';
const invalid = (list: string, ...fields: readonly (readonly [string, string])[]): ApiStatus => ({
  message: `Deployment.apps "web-hz" is invalid: ${list}`,
  details: { causes: fields.map(([field, message]) => ({ field, message })) },
});

it.each(steps.map((step) => [step.do, step] as const))(
  'what the API server refuses is named as its user wrote it, where it is %s',
  (_, step) => {
    const message = answerTo(
      step,
      422,
      'Invalid',
      invalid(`${image}: Required value`, [image, 'Required value']),
    );
    expect(message).toMatch(
      /Deployment\.apps "web-hz" is invalid: spec\.workloadTemplate\.deploymentTemplate\.spec\.template\.spec\.containers\[0\]\.image: Required value$/,
    );
  },
);

const [create] = steps as readonly [WriteStep];
const labels = 'spec.template.metadata.labels';
it.each<readonly [string, ApiStatus, string]>([
  [
    'each of several',
    invalid(
      `[${image}: Required value, ${labels}: Invalid value: {"a":"b"}: no]`,
      [image, 'Required value'],
      [labels, 'Invalid value: {"a":"b"}: no'],
    ),
    `[${template}.${image}: Required value, ${template}.${labels}: Invalid value: {"a":"b"}: no]`,
  ],
  [
    'one whose path is the beginning of another',
    invalid(`[${image}s[0]: no, ${image}: no]`, [`${image}s[0]`, 'no'], [image, 'no']),
    `[${template}.${image}s[0]: no, ${template}.${image}: no]`,
  ],
  [
    'not the selector, which is its own',
    invalid('spec.selector: no', ['spec.selector', 'no']),
    'invalid: spec.selector: no',
  ],
  [
    'not what a pool or subset adds to',
    invalid('spec.template.spec.tolerations[1].key: no', ['spec.template.spec.tolerations[1].key', 'no']),
    'invalid: spec.template.spec.tolerations[1].key: no',
  ],
  ['none, where none is named', { message: 'denied by policy: set spec.x' }, 'denied by policy: set spec.x'],
])('of the fields of a refusal %s is that of the template', (_, status, expected) => {
  expect(answerTo(create, 422, 'Invalid', status).endsWith(expected)).toBe(true);
});

it.each([
  [
    'failed to create typed patch object (edge/web-hz; apps/v1, Kind=Deployment): .spec.template.spec.containers[name="web"].imagee: field not declared in schema',
    `: ${template}.spec.template.spec.containers[name="web"].imagee: field not declared in schema`,
  ],
  ['strict decoding error: unknown field "spec.replica"', `unknown field "${template}.spec.replica"`],
  [
    "unable to parse quantity's suffix",
    `apply: ${template}.spec.template.spec.containers[0].resources.limits.memory: "5kk" is not a quantity; allowed is a number with an optional suffix, as 1.5, 500m or 2Gi`,
  ],
])('so it is where the child cannot be read: %s', (message, expected) => {
  expect(answerTo(create, 400, 'BadRequest', { message })).toContain(expected);
});

it('a field that is too long to be looked for stays as it is, and the others are named', () => {
  const long = `.spec.template.spec.containers[name=${'x'.repeat(100_000)}].name`;
  const message = `errors: ${image}: no, ${long}: expected string`;
  const causes = [long, image].map((field) => ({ field, message: 'no' }));
  const answer = answerTo(create, 422, 'Invalid', { message, details: { causes } });
  expect(answer).toContain(`errors: ${template}.${image}: no, .spec.template.spec.containers[name=xxx`);
});

it('a child that is not of one template alone keeps its own', () => {
  const { template: _template, ...own } = create as WriteStep & { readonly do: 'create' };
  expect(answerTo(own, 422, 'Invalid', invalid(`${image}: no`, [image, 'no']))).toContain(
    `invalid: ${image}: no`,
  );
});
