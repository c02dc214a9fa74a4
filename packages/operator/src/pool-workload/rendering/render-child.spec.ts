import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labels, yurtAppDaemons } from '@atoll/api';
import { web } from '../../../simulation/examples/worked-example.ts';
import { renderChild, type RenderInput } from './render-child.ts';

const word = fc.stringMatching(/^[a-z]{1,4}$/);
const record = fc.dictionary(word, word, { maxKeys: 3 });
const term = fc.record({
  matchExpressions: fc.array(
    fc.record({ key: word, operator: fc.constantFrom('In', 'NotIn', 'Exists'), values: fc.array(word) }),
  ),
});
const affinity = fc.record(
  {
    nodeAffinity: fc.record({
      requiredDuringSchedulingIgnoredDuringExecution: fc.record({ nodeSelectorTerms: fc.array(term) }),
      preferredDuringSchedulingIgnoredDuringExecution: fc.array(
        fc.record({ weight: fc.integer({ min: 1, max: 100 }), preference: term }),
      ),
    }),
    podAntiAffinity: fc.record({ any: fc.anything({ withNullPrototype: false }) }),
  },
  { requiredKeys: [] },
);
const pods = fc.record({
  metadata: fc.record({ labels: record, annotations: record }),
  spec: fc.record(
    {
      nodeSelector: record,
      affinity,
      tolerations: fc.array(fc.record({ key: word, operator: fc.constant('Exists') })),
      containers: fc.array(fc.record({ name: word, image: word })),
      priorityClassName: word,
    },
    { requiredKeys: ['containers'] },
  ),
});
const taints = fc.array(fc.record({ key: word, value: word, effect: fc.constant('NoSchedule' as const) }));

test('whatever the template says of its pods stays, and what puts them into the pool is added', () => {
  fc.assert(
    fc.property(pods, taints, word, fc.option(fc.nat(9), { nil: undefined }), (given, of, name, replicas) => {
      const { template } = renderChild(input(given, { name, taints: of }, replicas)).spec;
      const { nodeSelector, tolerations = [], ...rest } = template.spec as typeof given.spec;
      const { nodeSelector: own, tolerations: tolerated = [], ...others } = given.spec;
      expect(rest).toEqual(others);
      expect(nodeSelector).toEqual({ ...own, [labels.nodePool]: name });
      expect(tolerations.slice(0, tolerated.length)).toEqual(tolerated);
      expect(template.metadata?.annotations).toEqual(given.metadata.annotations);
      expect(template.metadata?.labels).toEqual({ ...given.metadata.labels, [labels.poolName]: name });
    }),
  );
});

test.each([['ssd'], [['ssd']], [true], [3]])(
  'a nodeSelector that is no map, as %j, is left for the API server to refuse',
  (nodeSelector) => {
    const { template } = renderChild(input({ spec: { nodeSelector } }, { name: 'hz', taints: [] }, 1)).spec;
    expect(template.spec).toMatchObject({ nodeSelector });
  },
);

test('on the label of pools the pool wins over the nodeSelector of the template', () => {
  const given = { spec: { nodeSelector: { [labels.nodePool]: 'elsewhere', disk: 'ssd' } } };
  const { template } = renderChild(input(given, { name: 'hz', taints: [] }, 1)).spec;
  expect(template.spec).toMatchObject({ nodeSelector: { [labels.nodePool]: 'hz', disk: 'ssd' } });
});

test('replicas are written where the template says a number, and never otherwise', () => {
  fc.assert(
    fc.property(pods, fc.option(fc.nat(9), { nil: undefined }), (given, replicas) => {
      const { spec } = renderChild(input(given, { name: 'hz', taints: [] }, replicas));
      expect('replicas' in spec ? spec['replicas'] : undefined).toBe(replicas);
    }),
  );
});

function input(given: object, pool: RenderInput['pool'], replicas: number | undefined): RenderInput {
  const metadata = { namespace: 'ns', name: 'web', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  return {
    owner: { resource: yurtAppDaemons, object: { ...web, metadata } },
    pool,
    name: `web-${pool.name}`,
    revision: {
      name: 'web-1',
      label: 'web-1',
      number: 1,
      template: { kind: 'Deployment', labels: {}, annotations: {}, spec: { template: given } },
      stored: undefined,
    },
    replicas,
    knownToOldOperator: { template: false, replicas: false },
    history: [],
  };
}
