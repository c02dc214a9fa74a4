// What the author of a flag reads where it cannot be used.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, type Logger } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import { createCertificateAuthority, issueCertificate } from '@atoll/kube/certificates';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAgentServer, type Serving } from './agent-server.ts';

let directory: string;
const before = process.cwd();
const unreadable = '-----BEGIN CERTIFICATE-----\nMIIBAAAA\n-----END CERTIFICATE-----\n';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'atoll-agent-'));
});

afterEach(() => {
  process.chdir(before);
  rmSync(directory, { recursive: true });
});

function file(name: string, content?: string): string {
  const path = join(directory, name);
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

/** Where it serves, or why it does not. */
async function served(
  serving: Partial<Serving>,
  logger: Logger = silentLogger,
): Promise<readonly string[] | string> {
  try {
    const server = await startAgentServer(
      { routes: [], clock: new FakeClock(), logger, answered: () => undefined },
      { address: undefined, tls: undefined, tokenFile: undefined, socket: undefined, ...serving },
    );
    await server.close();
    return server.urls;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('--unix-socket', () => {
  it('that is a number is a path all the same', async () => {
    process.chdir(directory);
    expect(await served({ socket: '18080' })).toEqual(['unix:18080']);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each([
    ['nowhere/agent.sock', 'its directory does not exist'],
    ['notes', 'a file is there that is no socket'],
    ['x'.repeat(200), 'the path is too long for a socket'],
  ])('%s is refused: %s', async (name, why) => {
    file('notes', 'mine');
    const socket = file(name);
    expect(await served({ socket })).toBe(`cannot serve the HTTP API on ${socket}: ${why}`);
  });
});

describe('the files of TLS', () => {
  const address = '127.0.0.1:0';

  async function pair(name: string) {
    const authority = await createCertificateAuthority(name);
    const { certificatePem, keyPem } = await issueCertificate(authority, {
      commonName: name,
      hosts: ['127.0.0.1'],
      usage: 'server',
    });
    return { certFile: file(`${name}.crt`, certificatePem), keyFile: file(`${name}.key`, keyPem) };
  }

  it('are named with their flag where they cannot be used', async () => {
    const one = await pair('one');
    const other = await pair('other');
    const clientCaFile = undefined;
    const broken = file('broken', 'no PEM');
    const gone = file('gone');
    const pipe = file('pipe');
    execFileSync('mkfifo', [pipe]);
    const refused = async (change: object) => served({ address, tls: { ...one, clientCaFile, ...change } });
    expect(await refused({ certFile: gone })).toBe(`--tls-cert-file ${gone}: no such file`);
    expect(await refused({ keyFile: directory })).toBe(
      `--tls-private-key-file ${directory}: it is a directory`,
    );
    expect(await refused({ clientCaFile: gone })).toBe(`--client-ca-file ${gone}: no such file`);
    expect(await refused({ certFile: pipe })).toBe(
      `--tls-cert-file ${pipe}: it is a pipe; use a regular file`,
    );
    expect(await refused({ certFile: broken })).toBe(
      `--tls-cert-file ${broken}, --tls-private-key-file ${one.keyFile}: the certificate is unreadable`,
    );
    expect(await refused({ keyFile: other.keyFile })).toBe(
      `--tls-cert-file ${one.certFile}, --tls-private-key-file ${other.keyFile}: the key is not that of the certificate`,
    );
    expect(await refused({ clientCaFile: broken })).toBe(
      `--client-ca-file ${broken}: there is no certificate`,
    );
    const none = file('unreadable', unreadable);
    expect(await refused({ clientCaFile: none })).toBe(
      `--client-ca-file ${none}: a certificate is unreadable`,
    );
  });

  it('are used where only some certificates of the authority are unreadable, and that is logged', async () => {
    const { certificatePem } = await createCertificateAuthority('callers');
    const clientCaFile = file('ca.crt', unreadable + certificatePem);
    const lines: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: readonly unknown[]) => lines.push(line) };
    await served({ address, tls: { ...(await pair('one')), clientCaFile } }, logger as unknown as Logger);
    expect(lines).toEqual([
      [
        { what: '--client-ca-file', from: clientCaFile, unreadable: 1 },
        'certificates that cannot be read are passed over',
      ],
    ]);
  });
});
