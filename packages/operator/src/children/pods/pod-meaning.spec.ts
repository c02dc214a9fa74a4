import { canonicalJson, normalised, stableHash } from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PodTemplate } from '../child.ts';
import { podContent, podMeaning } from './pod-meaning.ts';

const named = fc.constantFrom('a', 'b', '');
const container = fc.record(
  {
    name: named,
    image: fc.constantFrom('nginx', 'nginx:1', 'nginx@sha256:1'),
    imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent'),
    ports: fc.array(fc.record({ containerPort: fc.nat(2), protocol: fc.constantFrom('TCP', 'UDP') })),
    resources: fc.record({ limits: fc.record({ cpu: fc.constantFrom('1', '1000m', '2') }) }),
  },
  { requiredKeys: [] },
);
const templates: fc.Arbitrary<PodTemplate> = fc.record(
  {
    metadata: fc.record({ labels: fc.dictionary(named, named) }),
    spec: fc.record(
      {
        containers: fc.array(container, { maxLength: 2 }),
        initContainers: fc.array(container, { maxLength: 1 }),
        volumes: fc.array(
          fc.record({ name: named, configMap: fc.record({ defaultMode: fc.constantFrom(420, 1) }) }),
        ),
        nodeSelector: fc.dictionary(named, named),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['spec'] },
);

function frozen<V>(value: V): V {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

it('what many templates share is hashed once, and the hash is the same', () => {
  fc.assert(
    fc.property(templates, templates, (template, other) => {
      const shared = frozen(structuredClone(template));
      const elsewhere = { ...shared, spec: { ...shared.spec, nodeSelector: { zone: 'x' } } };
      const apart = { ...template, spec: { ...template.spec, nodeSelector: { zone: 'x' } } };
      for (let time = 0; time < 2; time++) {
        expect(stableHash(podMeaning(shared))).toBe(stableHash(podMeaning(template)));
        expect(stableHash(podMeaning(elsewhere))).toBe(stableHash(podMeaning(apart)));
        expect(canonicalJson(normalised(podContent(elsewhere)))).toBe(canonicalJson(normalised(apart)));
      }
      const same = canonicalJson(normalised(template)) === canonicalJson(normalised(other));
      expect(
        canonicalJson(normalised(podContent(frozen(structuredClone(other))))) ===
          canonicalJson(normalised(podContent(shared))),
      ).toBe(same);
    }),
  );
});

it.for([
  [{ image: 'nginx' }, { image: 'nginx', imagePullPolicy: 'Always' }, true],
  [{ image: 'nginx:1' }, { image: 'nginx:1', imagePullPolicy: 'Always' }, false],
  [{ ports: [{ containerPort: 80 }] }, { ports: [{ containerPort: 80, protocol: 'TCP' }] }, true],
] as const)('%o and %o: the same pods? %s', ([one, other, same]) => {
  const meaning = (each: object): string => canonicalJson(podMeaning({ spec: { containers: [each] } }));
  expect(meaning(one) === meaning(other)).toBe(same);
});
