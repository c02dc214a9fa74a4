import { qualifiedNameProblems } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { annotationMap, labelMap } from './labels.ts';
import { toStructural } from './to-structural.ts';

/** Whether the rule for the keys of a map takes a key, as far as expressions and characters go; `u` folds cases as CEL's expressions do. */
function takes(map: ReturnType<typeof labelMap>, key: string): boolean {
  const { 'x-kubernetes-validations': [rule] = [] } = toStructural(map, 'map');
  const [, pattern = ''] = /key\.matches\('([^']*)'\)/.exec(rule?.rule ?? '') ?? [];
  const [, code] = /!key\.contains\('\\u([0-9A-F]{4})'\)/.exec(rule?.rule ?? '') ?? [];
  const isRefused = code !== undefined && key.includes(String.fromCodePoint(Number.parseInt(code, 16)));
  return new RegExp(pattern, 'u').test(key) && !isRefused;
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
  // Long s, which is an s where case is ignored, and the Kelvin sign, whose lower case is k.
  'example.com/\u017Ftate',
  'example.com/\u212Aey',
];

describe('the rule for keys takes what the API server takes', () => {
  it.each(keys)('of labels: "%s"', (key) => {
    expect(takes(labelMap(), key)).toBe(qualifiedNameProblems(key).length === 0);
  });

  // It compares the key in lower case (Kubernetes 1.36, apimachinery `ValidateAnnotations`).
  it.each(keys)('of annotations: "%s"', (key) => {
    expect(takes(annotationMap(), key)).toBe(qualifiedNameProblems(key.toLowerCase()).length === 0);
  });
});
