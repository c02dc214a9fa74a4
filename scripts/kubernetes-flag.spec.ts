import { expect, it } from 'vitest';
import { takeKubernetesFlag } from './kubernetes-flag.ts';

it.each<[readonly string[], string | undefined, readonly string[]]>([
  [['a.spec.ts'], undefined, ['a.spec.ts']],
  [['--kubernetes', 'v1.30', 'a.spec.ts'], 'v1.30', ['a.spec.ts']],
  [['a.spec.ts', '--kubernetes=v1.30', '-t', 'x'], 'v1.30', ['a.spec.ts', '-t', 'x']],
  [['--kubernetes=1.36'], 'v1.36', []],
  [['--kubernetes=1.36', '--kubernetes', '1.30'], 'v1.30', []],
])('%j asks for %s, and leaves %j to the test runner', (words, minor, others) => {
  expect(takeKubernetesFlag(words)).toEqual({ minor, others });
});

it.each([
  [['--kubernetes', 'v1.29'], 'v1.29'],
  [['--kubernetes=1.30.14'], '1.30.14'],
  [['--kubernetes=']],
  [['--kubernetes']],
])('%j is refused, and what is allowed is named', (words, text = '') => {
  expect(() => takeKubernetesFlag(words)).toThrow(
    `--kubernetes is "${text}". Allowed is v1.37, v1.36, v1.33, v1.30`,
  );
});
