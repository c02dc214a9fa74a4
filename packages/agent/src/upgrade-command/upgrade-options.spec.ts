import { describe, expect, it } from 'vitest';
import { upgradeCommand, type UpgradeOptions } from './upgrade-options.ts';

/** What the command line means, or what it is refused with. */
async function parse(...args: readonly string[]): Promise<UpgradeOptions | undefined> {
  let options: UpgradeOptions | undefined;
  const command = upgradeCommand(async (given) => {
    options = given;
  });
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(args, { from: 'user' });
  return options;
}

describe('the command line of upgrade', () => {
  it('takes names, with a namespace or without one', async () => {
    expect(await parse('web-x1', 'edge/web-x2', '-n', 'site-7')).toMatchObject({
      pods: ['web-x1', 'edge/web-x2'],
      namespace: 'site-7',
      timeoutMs: 600_000,
    });
  });

  it.each([
    [['Web-x1'], "value 'Web-x1' is invalid for argument 'pods'"],
    [[''], "value '' is invalid for argument 'pods'"],
    [['edge/'], "value 'edge/' is invalid for argument 'pods'"],
    [['a/b/c'], "value 'a/b/c' is invalid for argument 'pods'"],
    [['web-x1', '-n', 'Edge'], "'-n, --namespace <name>' argument 'Edge' is invalid"],
    [['--token-file='], "'--token-file <file>' argument '' is invalid"],
    [['--unix-socket='], "'--unix-socket <path>' argument '' is invalid"],
    [['--cert-file', 'a'], '--cert-file and --key-file need each other'],
    [['--key-file', 'a'], '--cert-file and --key-file need each other'],
    [['--all', 'web-x1'], 'not both'],
  ])('%j is refused and says %s', async (args, message) => {
    await expect(parse(...args)).rejects.toThrow(message);
  });
});
