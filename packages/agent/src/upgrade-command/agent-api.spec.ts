import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AgentApi, type AgentAddress } from './agent-api.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'atoll-agent-'));
  writeFileSync(join(directory, 'broken'), 'no PEM');
});

afterEach(() => rmSync(directory, { recursive: true }));

it.each<[string, keyof AgentAddress, string, string]>([
  ['--token-file', 'tokenFile', 'gone', 'no such file'],
  ['--ca-file', 'caFile', 'gone', 'no such file'],
  ['--ca-file', 'caFile', 'broken', 'there is no certificate'],
  ['--cert-file', 'certFile', '.', 'it is a directory'],
  ['--key-file', 'keyFile', 'gone', 'no such file'],
])('%s (%s): %s is named with the cause', async (flag, field, name, why) => {
  const file = join(directory, name);
  const none = { unixSocket: undefined, tokenFile: undefined, caFile: undefined };
  const pair = field === 'certFile' || field === 'keyFile' ? join(directory, 'broken') : undefined;
  const address = { url: 'https://127.0.0.1:1', ...none, certFile: pair, keyFile: pair };
  const api = new AgentApi({ ...address, [field]: file });
  await expect(api.upgradablePods()).rejects.toThrow(`${flag} ${file}: ${why}`);
});

it('names the certificate and the key that do not fit', async () => {
  const file = join(directory, 'broken');
  const none = { unixSocket: undefined, tokenFile: undefined, caFile: undefined };
  const api = new AgentApi({ url: 'https://127.0.0.1:1', ...none, certFile: file, keyFile: file });
  await expect(api.upgradablePods()).rejects.toThrow(
    `--cert-file ${file}, --key-file ${file}: the certificate is unreadable`,
  );
});
