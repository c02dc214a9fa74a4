import type { KubeObject } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { refusal } from '../trials/judge.fixture.ts';
import { causesOf, setting, subsetsOf, templateOf, united } from './united-deployment.fixture.ts';

const field = 'spec.template.spec.containers[0].imagee';
const typo = refusal(400, 'BadRequest', `strict decoding error: unknown field "${field}"`);
const isStatefulSet = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion === 'apps/v1' && kind === 'StatefulSet';

describe.each([
  ['CloneSet', 'cloneSetTemplate'],
  ['AdvancedStatefulSet', 'advancedStatefulSetTemplate'],
] as const)('the pods of a %s', (kind, member) => {
  it('are tried as those of a StatefulSet, so that a typo is refused under its own field', async () => {
    const { validate, judge } = setting();
    judge.answer = (_, object) => (isStatefulSet(object) ? typo : undefined);
    const answer = await validate(united({ template: templateOf(kind) }));
    expect(causesOf(answer)).toEqual([`spec.template.${member}.${field}: unknown field`]);
    expect(judge.asked).toHaveLength(2);
  });

  it('are tried with each patch too', async () => {
    const { validate, judge } = setting();
    judge.answer = (_, object) => {
      const patched = JSON.stringify(object).includes('imagee');
      return isStatefulSet(object) && patched ? typo : undefined;
    };
    const patch = { spec: { containers: [{ name: 'web', imagee: 'x' }] } };
    const object = united({ template: templateOf(kind), ...subsetsOf({ name: 'a' }, { name: 'b', patch }) });
    expect(causesOf(await validate(object))).toEqual([
      `spec.topology.subsets[1].patch: subset b: with this patch, spec.template.${member}.${field}: unknown field`,
    ]);
  });

  it.each([
    ['a quota of StatefulSets', refusal(403, 'Forbidden', 'exceeded quota')],
    ['what is no matter of pods', refusal(422, 'Invalid', 'must be set', 'spec.serviceName')],
    ['an API server in trouble', refusal(500, 'InternalError', 'etcd')],
  ])('are not refused or warned of for %s', async (_, error) => {
    const { validate, judge } = setting();
    judge.answer = (_verb, object) => (isStatefulSet(object) ? error : undefined);
    expect(await validate(united({ template: templateOf(kind) }))).toEqual({ allowed: true, warnings: [] });
  });
});

it.each(['Deployment', 'StatefulSet'] as const)('those of a %s are tried with it', async (kind) => {
  const { validate, judge } = setting();
  await validate(united({ template: templateOf(kind) }));
  expect(judge.asked).toHaveLength(1);
});
