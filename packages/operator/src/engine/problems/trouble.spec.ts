import { expect, it } from 'vitest';
import { deployments, type KubeObject, type Resource } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { failuresOf } from './failures.ts';
import { failureMessage } from './trouble.ts';

it.each<readonly [string, readonly (string | undefined)[], readonly string[], string]>([
  ['the messages are the same', ['bj', 'hz', 'sh'], ['denied', 'denied', 'denied'], 'bj, hz, sh: denied'],
  [
    'the messages differ',
    ['bj', 'hz', 'sh'],
    ['quota bj', 'quota hz', 'quota sh'],
    'bj (also hz, sh): quota bj',
  ],
  ['one failed', ['bj'], ['denied'], 'bj: denied'],
  ['the first is of the object itself', [undefined, 'bj'], ['no revision', 'quota bj'], 'no revision'],
  ['it is of no target', [undefined], ['no revision'], 'no revision'],
])('a message about failed writes says of which target it is, where %s', (_, targets, messages, expected) => {
  const results = messages.map((message, i) => {
    const target = targets[i];
    const step = {
      do: 'create',
      resource: deployments as Resource<KubeObject>,
      object: { metadata: { name: target ?? 'web' } },
      managed: 'apply',
      ...(target === undefined ? {} : { target }),
      why: { word: 'ChildCreated', message: '' },
    } as const;
    const error = refusalOf(403, 'create', message);
    return { step, did: 'failed', error } as const;
  });
  const text = failureMessage(failuresOf({ results }));
  expect(text.replace('create: ', '')).toBe(expected);
});
