import { expect, it } from 'vitest';
import { canonicalJson } from '@atoll/kube';
import type { ChildTemplate } from '../children/child-template.ts';
import { unlessFilledIn } from './old-default-warning.ts';

it.each<readonly [string, object, object, boolean]>([
  ['that takes out a policy', { imagePullPolicy: 'Always' }, {}, true],
  ['that takes out another policy', { imagePullPolicy: 'Never' }, {}, false],
  [
    'that takes out a policy and changes the image',
    { image: 'a:1', imagePullPolicy: 'Always' },
    { image: 'a:2' },
    false,
  ],
  ['that takes out nothing', { image: 'a:1' }, { image: 'a:2' }, false],
])('a warning of a change %s may be of what an older webhook filled in', (_, before, after, may) => {
  const text = unlessFilledIn(templateOf(before), templateOf(after), (template) => canonicalJson(template));
  expect(text.includes('imagePullPolicy: Always')).toBe(may);
});

function templateOf(container: object): ChildTemplate {
  const spec = { template: { spec: { containers: [{ name: 'web', ...container }] } } };
  return { kind: 'Deployment', labels: {}, annotations: {}, spec };
}
