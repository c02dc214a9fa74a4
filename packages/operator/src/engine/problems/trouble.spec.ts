import { expect, it } from 'vitest';
import { deployments, type KubeObject, type Resource } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { failuresOf } from './failures.ts';
import { failureMessage } from './trouble.ts';

it.each([
  ['the messages are the same', ['denied', 'denied', 'denied'], 'bj, hz, sh: denied'],
  ['the messages differ', ['quota bj', 'quota hz', 'quota sh'], 'bj (also hz, sh): quota bj'],
  ['one failed', ['denied'], 'bj: denied'],
])('a message about failed writes says of which target it is, where %s', (_, messages, expected) => {
  const results = messages.map((message, i) => {
    const target = ['bj', 'hz', 'sh'][i] ?? '';
    const step = {
      do: 'create',
      resource: deployments as Resource<KubeObject>,
      object: { metadata: { name: target } },
      managed: 'apply',
      target,
      why: { word: 'ChildCreated', message: '' },
    } as const;
    const error = refusalOf(403, 'create', message);
    return { step, did: 'failed', error } as const;
  });
  const text = failureMessage(failuresOf({ results }));
  expect(text.replace('create: ', '')).toBe(expected);
});
