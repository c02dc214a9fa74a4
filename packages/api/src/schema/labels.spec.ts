import { qualifiedNameProblems } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { annotationMap, labelMap } from './labels.ts';
import { toStructural } from './to-structural.ts';

/** The expressions in which the rule for the keys of a map matches a key. */
function keyPattern(map: ReturnType<typeof labelMap>): RegExp {
  const { 'x-kubernetes-validations': [rule] = [] } = toStructural(map, 'map');
  const [, pattern = ''] = /key\.matches\('([^']*)'\)/.exec(rule?.rule ?? '') ?? [];
  return new RegExp(pattern);
}

const keys = [
  'owner',
  'Owner',
  'example.com/owner',
  'example.com/Owner_1.x',
  'Example.COM/owner',
  'a b',
  'example.com/',
  '/owner',
  'example..com/owner',
  'example.com/owner/x',
  'example_com/owner',
  '-owner',
];

describe('the rule for keys takes what the API server takes', () => {
  it.each(keys)('of labels: "%s"', (key) => {
    expect(keyPattern(labelMap()).test(key)).toBe(qualifiedNameProblems(key).length === 0);
  });

  // It compares the key in lower case (Kubernetes 1.36, apimachinery `ValidateAnnotations`).
  it.each(keys)('of annotations: "%s"', (key) => {
    expect(keyPattern(annotationMap()).test(key)).toBe(qualifiedNameProblems(key.toLowerCase()).length === 0);
  });
});
