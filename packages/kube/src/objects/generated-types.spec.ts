import { describe, expect, expectTypeOf, it } from 'vitest';
import { staleTypes } from '../../scripts/generate-types.ts';
import { firstSentence } from '../../scripts/trim-schemas.ts';
import type { KubeObject, ObjectMeta, Stored } from './object.ts';
import type { pods } from './resources.ts';
import type {
  CustomResourceDefinition,
  DaemonSetUpdateStrategy,
  Deployment,
  Lease,
  Pod,
  PodTemplateSpec,
  RollingUpdateDaemonSet,
  StatefulSet,
} from '../types/index.ts';

describe('the generated types', () => {
  it('are what the generator writes from the committed document', async () => {
    expect(await staleTypes()).toEqual([]);
  });

  it('are kinds with our metadata, strings for times and quantities, and nothing writable', () => {
    expectTypeOf<Pod>().toExtend<KubeObject>();
    expectTypeOf<Deployment['metadata']>().toEqualTypeOf<ObjectMeta>();
    expectTypeOf<NonNullable<Lease['spec']>['renewTime']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<PodTemplateSpec['metadata']>().toEqualTypeOf<Partial<ObjectMeta> | undefined>();
    expectTypeOf<RollingUpdateDaemonSet['maxUnavailable']>().toEqualTypeOf<number | string | undefined>();
    expectTypeOf<DaemonSetUpdateStrategy['type']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<StatefulSet['spec']>['template']>().toEqualTypeOf<PodTemplateSpec>();
    expectTypeOf<CustomResourceDefinition['spec']['group']>().toEqualTypeOf<string>();
    expectTypeOf<Stored<Pod>['metadata']['uid']>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<typeof pods.objectType>>().toEqualTypeOf<Pod>();
  });
});

it.for([
  [undefined, undefined],
  ['One.', 'One.'],
  ['One. Two.', 'One.'],
  ['Defaults to 0.5 of it. Two.', 'Defaults to 0.5 of it.'],
  ['Line\n  break */ here', 'Line break * / here'],
  [`${'word '.repeat(60)}.`, `${'word '.repeat(32).trim()} …`],
] as const)('the first sentence of %j is %j', ([description, expected]) => {
  expect(firstSentence(description)).toBe(expected);
});
