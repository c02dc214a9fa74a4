import { expect, it } from 'vitest';
import { kubectlEds } from '../eds/kubectl-eds.ts';
import { nextWords } from './next-words.ts';

const ignore = (): void => undefined;
const program = kubectlEds({ env: {}, print: ignore, note: ignore, signal: AbortSignal.abort() });

it.each<[string, readonly string[]]>([
  ['ca', ['canary']],
  ['canary ', ['pods', 'validate', 'pause', 'unpause', 'fail']],
  ['-n edge canary un', ['unpause']],
  ['-n edge canary pause --out', []],
  ['-n ', []],
  ['-o ', ['wide', 'json', 'yaml', 'name']],
  ['canary pause --name', ['--namespace']],
  ['get -o ', ['wide', 'json', 'yaml', 'name']],
  ['get --output j', ['json']],
  ['pods agent --select ', ['canary', 'not-ready']],
  ['completion z', ['zsh']],
  ['canary pods --select', []],
  ['canary pods agent --wat', ['--watch']],
  ['get --hel', ['--help']],
  ['get --output=j', ['json']],
  ['get -o=', ['wide', 'json', 'yaml', 'name']],
  ['pods agent --select=not', ['not-ready']],
  ['-o=j', ['json']],
  ['get --nonsense=j', []],
  ['nonsense ', []],
  ['canary nonsense ', []],
  ['help can', ['canary']],
  ['help canary un', ['unpause']],
])('after "%s" may come %j', (line, words) => {
  expect(nextWords(program, line.split(' ')).words).toEqual(words);
});

it.each<[string, string | undefined]>([
  ['get ', 'ExtendedDaemonSet'],
  ['get-ers ', 'ExtendedDaemonSetReplicaSet'],
  ['canary pause -n edge ', 'ExtendedDaemonSet'],
  ['canary pause --namespace=edge ag', 'ExtendedDaemonSet'],
  ['canary pause agent ', undefined],
  ['canary pause -n ', undefined],
  ['canary ', undefined],
  ['', undefined],
])('after "%s" may come the name of %s', async (line, kind) => {
  expect((await nextWords(program, line.split(' ')).kind?.())?.kind).toBe(kind);
});

it.each([
  'canary pause -n edge --context=x ',
  '-n edge canary --context=x pause ',
  'canary pause -n=edge --context=x ',
])('"%s" gives the flags that set where names are looked for', (line) => {
  const { command, given } = nextWords(program, line.split(' '));
  expect([command.name(), given]).toEqual(['pause', ['-n', 'edge', '--context=x']]);
});
