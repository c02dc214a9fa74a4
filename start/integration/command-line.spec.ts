import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartCommand } from './start-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'atoll-start-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.concurrent('the command line', () => {
  it.each([
    [['--onse'], "error: unknown option '--onse'"],
    [['cluster'], 'error: too many arguments'],
    [['--kubeconfig'], "error: option '--kubeconfig <file>' argument missing"],
    [['--context', 'edge'], 'error: --context needs --kubeconfig'],
    [['--kubeconfig', 'file', '--context', ''], 'error: --context is given an empty value'],
    [['--yes'], 'error: --yes needs --kubeconfig'],
    [['--once', '--kubeconfig', 'file'], 'error: --once is for the embedded cluster, not with --kubeconfig'],
  ])('%j is refused with one message and 2', async (args, message) => {
    using start = new StartCommand(args, { direct: true });
    expect(await start.ended()).toBe(2);
    expect(start.lines[0]).toContain(message);
    expect(start.lines).toHaveLength(1);
  });

  it('does not begin where npm took an option for its own', async () => {
    const environment = { npm_config_kubeconfig: 'edge' };
    using start = new StartCommand([], { direct: true, environment });
    expect(await start.ended()).toBe(2);
    expect(start.lines).toEqual([
      'error: npm took --kubeconfig for its own: put -- before it, as in npm start -- --kubeconfig. npm start -- --help shows what is allowed',
    ]);
  });

  it('explains itself', async () => {
    using start = new StartCommand(['--help']);
    expect(await start.ended()).toBe(0);
    for (const part of [
      'Usage: npm start -- [options]',
      '--once',
      '--kubeconfig <file>',
      '--yes',
      'Exit codes:',
    ])
      expect(start.output).toContain(part);
  });
});

describe.concurrent('a cluster of one’s own that cannot be used', () => {
  const missing = join(folder, 'missing');
  const broken = join(folder, 'broken');
  const unreachable = join(folder, 'unreachable');
  const hostile = join(folder, 'hostile');
  beforeAll(() => {
    writeFileSync(broken, 'apiVersion: v1\nclusters: [');
    writeFileSync(hostile, JSON.stringify({ contexts: [{ name: 'edge\u001b[2J', context: {} }] }));
    writeFileSync(
      unreachable,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:9' } }],
        users: [{ name: 'u', user: { token: 't' } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
  });

  it.each([
    ['a file that is not there', ['--kubeconfig', missing], {}, `${missing}: no such file`],
    ['a folder', ['--kubeconfig', folder], {}, `${folder}: it is a directory`],
    [
      'KUBECONFIG names none',
      ['--kubeconfig', ''],
      { KUBECONFIG: missing },
      `no kubeconfig: ${missing}: no such file (from KUBECONFIG)`,
    ],
    [
      'nothing names one',
      ['--kubeconfig', ''],
      { HOME: folder },
      `no kubeconfig: ${join(folder, '.kube', 'config')}: no such file`,
    ],
    ['a file that is none', ['--kubeconfig', broken], {}, broken],
    ['no such context', ['--kubeconfig', unreachable, '--context', 'y'], {}, 'y'],
    [
      'what others wrote is obeyed by no terminal',
      ['--kubeconfig', hostile, '--context', 'y'],
      {},
      'context: no context "y"; allowed: edge\\u001b[2J',
    ],
    ['nobody answers', ['--kubeconfig', unreachable], {}, 'Cannot use the cluster at https://127.0.0.1:9: '],
  ])('%s: one clear message and 1', async (_, args, environment, message) => {
    using start = new StartCommand(args, { direct: true, environment });
    expect(await start.ended(), start.output).toBe(1);
    expect(start.lines[0]).toContain(message);
    expect(start.lines).toHaveLength(1);
    await start.leavesNothing();
  });
});
