import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificateAuthority } from '@atoll/kube/certificates';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AgentApi, type AgentAddress } from './agent-api.ts';

let directory: string;

const unreadable = '-----BEGIN CERTIFICATE-----\nMIIBAAAA\n-----END CERTIFICATE-----\n';

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'atoll-agent-'));
  writeFileSync(join(directory, 'broken'), 'no PEM');
  writeFileSync(join(directory, 'unreadable'), unreadable);
});

afterEach(() => rmSync(directory, { recursive: true }));

it.each<[string, keyof AgentAddress, string, string]>([
  ['--token-file', 'tokenFile', 'gone', 'no such file'],
  ['--ca-file', 'caFile', 'gone', 'no such file'],
  ['--ca-file', 'caFile', 'broken', 'there is no certificate'],
  ['--ca-file', 'caFile', 'unreadable', 'a certificate is unreadable'],
  ['--cert-file', 'certFile', '.', 'it is a directory'],
  ['--key-file', 'keyFile', 'gone', 'no such file'],
])('%s (%s): %s is named with the cause', async (flag, field, name, why) => {
  const file = join(directory, name);
  const none = { unixSocket: undefined, tokenFile: undefined, caFile: undefined };
  const pair = field === 'certFile' || field === 'keyFile' ? join(directory, 'broken') : undefined;
  const address = { url: 'https://127.0.0.1:1', ...none, certFile: pair, keyFile: pair };
  const api = new AgentApi({ ...address, [field]: file }, () => undefined);
  await expect(api.upgradablePods()).rejects.toThrow(`${flag} ${file}: ${why}`);
});

it('reports once how many certificates of --ca-file cannot be read and are passed over', async () => {
  const { certificatePem } = await createCertificateAuthority('one');
  const caFile = join(directory, 'ca.crt');
  writeFileSync(caFile, unreadable + certificatePem + unreadable);
  const none = { unixSocket: undefined, tokenFile: undefined, certFile: undefined, keyFile: undefined };
  const lines: string[] = [];
  const api = new AgentApi({ url: 'https://127.0.0.1:1', ...none, caFile }, (line) => lines.push(line));
  for (const _time of [1, 2]) await expect(api.upgradablePods()).rejects.toThrow('cannot reach the agent');
  expect(lines).toEqual([`--ca-file ${caFile}: 2 unreadable certificates are passed over`]);
});

it('names the certificate and the key that do not fit', async () => {
  const file = join(directory, 'broken');
  const none = { unixSocket: undefined, tokenFile: undefined, caFile: undefined };
  const api = new AgentApi(
    { url: 'https://127.0.0.1:1', ...none, certFile: file, keyFile: file },
    () => undefined,
  );
  await expect(api.upgradablePods()).rejects.toThrow(
    `--cert-file ${file}, --key-file ${file}: the certificate is unreadable`,
  );
});

// Any process of the node may listen on the port while no agent does.
describe('what answers is no agent', () => {
  async function apiOf(answer: (response: ServerResponse) => void): Promise<AgentApi> {
    const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const none = { unixSocket: undefined, tokenFile: undefined, caFile: undefined };
    return new AgentApi({ url, ...none, certFile: undefined, keyFile: undefined }, () => undefined);
  }
  const failure = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'nothing failed',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
  const pods = async (body: string, code = 200): Promise<string> => {
    const api = await apiOf((response) => void response.writeHead(code).end(body));
    return failure(api.upgradablePods());
  };
  const followed = async (text: string): Promise<string> => {
    const api = await apiOf((response) => void response.writeHead(200).end(text));
    const { signal } = new AbortController();
    return failure(api.follow('edge', 'web', signal).next());
  };

  it.each(['<html>\u001b[2J</html>', '', '{"items":', 'null', '{}', '{"items":{}}', '{"items":[null]}'])(
    'is named: %j',
    async (body) => {
      expect(await pods(body)).toMatch(
        /^what answers at http:\/\/127\.0\.0\.1:\d+ is no agent: its answer is no list of pods$/,
      );
    },
  );

  it('is named where it answers no states of an upgrade', async () => {
    const why =
      /^what answers at http:\/\/127\.0\.0\.1:\d+ is no agent: its answer is no state of an upgrade$/;
    expect(await followed('data: <html>\n\n')).toMatch(why);
    expect(await followed('data: null\n\n')).toMatch(why);
  });

  it('cannot write to the terminal', async () => {
    expect(await pods('\u001b[2Jgone\nand more', 500)).toBe(
      'the agent answered 500: \\u001b[2Jgone\\nand more',
    );
  });

  it('cannot fill the memory', async () => {
    const responses: ServerResponse[] = [];
    const api = await apiOf((response) => {
      responses.push(response);
      const more = (): void => {
        let hasRoom = true;
        while (hasRoom && !response.closed) hasRoom = response.write('x'.repeat(1024 * 1024));
        response.once('drain', more);
      };
      more();
    });
    const tooLarge = /^what answers at http:\/\/127\.0\.0\.1:\d+ is no agent: its answer does not end$/;
    expect(await failure(api.upgradablePods())).toMatch(tooLarge);
    expect(await failure(api.upgrade('edge', 'web'))).toMatch(tooLarge);
    expect(await failure(api.follow('edge', 'web', new AbortController().signal).next())).toMatch(tooLarge);
    await expect.poll(() => responses.map(({ closed }) => closed)).toEqual([true, true, true]);
  });
});
