import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadKubeconfig } from '@atoll/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubeconfigOf, refuseForeignFile } from './kubeconfig.ts';

describe('a kubeconfig of ours', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'atoll-kubeconfig-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('is read as any other kubeconfig', async () => {
    const file = join(directory, 'config');
    writeFileSync(
      file,
      kubeconfigOf('https://127.0.0.1:1', 'CA', { name: 'op', namespace: 'edge', token: 'secret' }),
    );
    await expect(loadKubeconfig({ path: file })).resolves.toMatchObject({
      server: 'https://127.0.0.1:1',
      namespace: 'edge',
      certificateAuthority: { from: 'value', value: 'CA' },
      authorization: { type: 'token', token: { from: 'value', value: 'secret' } },
    });
  });

  it('may be written over one of ours, or where nothing is, and never over a user’s own', () => {
    const ours = join(directory, 'ours');
    writeFileSync(ours, kubeconfigOf('https://127.0.0.1:1', 'CA', { name: 'op', token: 'secret' }));
    const users = join(directory, 'users');
    writeFileSync(users, 'apiVersion: v1\nkind: Config\n');
    expect(() => refuseForeignFile(ours)).not.toThrow();
    expect(() => refuseForeignFile(join(directory, 'absent'))).not.toThrow();
    expect(() => refuseForeignFile(users)).toThrow(`${users} exists and is not ours to overwrite`);
  });
});
