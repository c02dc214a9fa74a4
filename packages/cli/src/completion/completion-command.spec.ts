import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { runKubectlEds } from '../eds/kubectl-eds.ts';

it('bash takes a name that the API server gives for nothing but a name', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const argv = ['node', 'kubectl-eds', 'completion', 'bash'];
  expect(await runKubectlEds({ argv, env: {}, stdout, stderr })).toBe(0);
  stdout.end();
  const script = await text(stdout);
  const names = ['a*', 'b c', '$(echo run >&2)', '`echo run >&2`', '${HOME}'];
  const program = `kubectl-eds() { printf '%s\\n' ${names.map((name) => `'${name}'`).join(' ')} ':4'; }`;
  const line = "COMP_WORDS=(kubectl-eds canary pause ''); COMP_CWORD=3; _kubectl_eds";
  const commands = `${program}\n${script}\n${line}; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const ran = spawnSync('bash', ['-c', commands], { encoding: 'utf8' });
  // Not every machine has it.
  if (ran.error !== undefined) return;
  expect(ran.stdout.trimEnd().split('\n')).toEqual(names);
  expect(ran.stderr).toBe('');
});
