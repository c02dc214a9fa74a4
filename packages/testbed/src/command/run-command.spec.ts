import { describe, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...args: readonly string[]): Promise<Outcome> {
  let out = '';
  let err = '';
  const streams = {
    out: { write: (text: string) => (out += text) },
    err: { write: (text: string) => (err += text) },
  };
  const code = await runCommand({ script: '', args, streams, signal: new AbortController().signal });
  return { code, out, err };
}

describe('the command', () => {
  it.each([
    [['up', '--nodes', 'many'], 2, "option '--nodes <n>' argument 'many' is invalid"],
    [['up', '--lease', '0'], 2, 'Allowed is a whole number of seconds from 1 to 999999.'],
    [['up', '--name', '../etc'], 2, 'Allowed is a name of lower-case letters, digits and dashes'],
    [['up', '--failure-domains', 'rack'], 2, 'Allowed choices are pool, zone.'],
    [['up', '--bogus'], 2, "unknown option '--bogus'"],
    [['up', '--failure-domains', 'pool'], 2, '--failure-domains pool needs --pools'],
    [['up', '--failure-domains', 'zone', '--zones', '0'], 2, '--failure-domains zone needs --zones'],
    [['up', '--cpu', 'many'], 2, "'many' is invalid. Allowed is a quantity like 32"],
    [['up', '--memory', '-1Gi'], 2, "'-1Gi' is invalid. Allowed is a quantity like 32"],
    [['nodes', 'add', '--pods', '1.5'], 2, "'1.5' is invalid. Allowed is a whole number"],
    [['nodes', 'remove', '--kubeconfig', '', 'node-1'], 2, 'Allowed is the path of a kubeconfig'],
    [['nodes', 'remove', 'node-1', 'node-2', '--count', '1'], 2, '--count needs --pool'],
    [['upp'], 2, '(did you mean up?)'],
    [['nodes', 'add', '--taint', 'nonsense'], 2, 'Allowed is key=value:Effect'],
    [['nodes', 'label', 'node-1'], 2, 'no label is given'],
    [['nodes', 'remove', '--kubeconfig', '/no/such/file', 'node-1'], 1, '/no/such/file: no such file'],
    [
      ['nodes', 'list', '--name', 'absent-from-everywhere'],
      1,
      'no control plane named absent-from-everywhere is up',
    ],
  ])('answers %j with exit code %i and one message', async (args, code, message) => {
    const outcome = await run(...args);
    expect(outcome.err).toContain(message);
    expect(outcome).toMatchObject({ code, out: '' });
  });

  it.each([['up'], ['down'], ['status'], ['binaries'], ['nodes', 'add']])(
    'explains %s %s',
    async (...words) => {
      const outcome = await run(...words.filter((word) => word !== undefined), '--help');
      expect(outcome.code).toBe(0);
      expect(outcome.out).toContain(`Usage: atoll-testbed ${words.join(' ')}`);
      expect(outcome.out).toContain('--json');
    },
  );

  it('ends and shows nothing where nothing is up', async () => {
    expect(await run('status', '--name', 'absent-from-everywhere', '--json')).toEqual({
      code: 3,
      out: '[]\n',
      err: '',
    });
    expect(await run('down', '--name', 'absent-from-everywhere')).toEqual({
      code: 0,
      out: 'nothing was up\n',
      err: '',
    });
  });
});
