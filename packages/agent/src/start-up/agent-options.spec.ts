import { describe, expect, it } from 'vitest';
import { agentCommand, readOptions, servingOf, type AgentOptions } from './agent-options.ts';

/** What the command line means, or what it is refused with. */
function parse(...args: readonly string[]): AgentOptions {
  const command = agentCommand('0.0.0')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  command.action(() => undefined);
  return readOptions(command.parse(args, { from: 'user' }));
}

describe('the command line', () => {
  it('needs a node only', () => {
    expect(parse('--node-name', 'node-1')).toMatchObject({
      nodeName: 'node-1',
      bindAddress: '127.0.0.1:10267',
      cacheDir: '/var/lib/atoll-agent',
      compatStatusCodes: false,
    });
  });

  it.each([
    [[], '--node-name'],
    [['--node-name', 'Node 1'], 'name of a Node'],
    [['--node-name', 'n', '--bind-address', '1.2.3.4'], 'host:port'],
    [['--node-name', 'n', '--bind-address', '0'], '--unix-socket'],
    [['--node-name', 'n', '--tls-cert-file', 'a'], '--tls-private-key-file'],
    [['--node-name', 'n', '--client-ca-file', 'a'], '--tls-cert-file'],
    [['--node-name', 'n', 'more'], 'too many arguments'],
    [['--node-name', 'n', '--cache-dir='], "'--cache-dir <directory>' argument '' is invalid"],
    [['--node-name', 'n', '--unix-socket='], "'--unix-socket <path>' argument '' is invalid"],
    [['--node-name', 'n', '--token-file='], "'--token-file <file>' argument '' is invalid"],
    [['--node-name', 'n', '--tls-cert-file='], "'--tls-cert-file <file>' argument '' is invalid"],
    [['--node-name', 'n', '--client-ca-file='], "'--client-ca-file <file>' argument '' is invalid"],
  ])('%j is refused and says %s', (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });

  // A variable that was not set makes `--token-file=` of `--token-file=$FILE`.
  it.each([
    ['--kubeconfig', 'the path of a kubeconfig'],
    ['--unix-socket', 'the path of a socket'],
    ['--token-file', 'the path of a file'],
    ['--tls-cert-file', 'the path of a file'],
    ['--tls-private-key-file', 'the path of a file'],
    ['--client-ca-file', 'the path of a file'],
    ['--cache-dir', 'the path of a directory'],
  ])('%s without a value is refused', (flag, allowed) => {
    expect(() => parse('--node-name=n', `${flag}=`)).toThrow(
      `argument '' is invalid. Allowed is ${allowed}.`,
    );
  });

  it('returns where the API is served', () => {
    const tls = ['--tls-cert-file', 'c', '--tls-private-key-file', 'k', '--client-ca-file', 'a'];
    expect(servingOf(parse('--node-name', 'n', '--bind-address', ':1', ...tls))).toEqual({
      address: ':1',
      socket: undefined,
      tokenFile: undefined,
      tls: { certFile: 'c', keyFile: 'k', clientCaFile: 'a' },
    });
    expect(servingOf(parse('--node-name', 'n', '--bind-address', '0', '--unix-socket', '/s'))).toEqual({
      address: undefined,
      socket: '/s',
      tokenFile: undefined,
      tls: undefined,
    });
  });
});
