import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** In a process of its own, for whose user the system has no entry. */
async function withoutHome(program: string): Promise<string> {
  const file = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  const text = `
    import os from 'node:os';
    import { syncBuiltinESMExports } from 'node:module';
    os.homedir = () => { throw new Error('uv_os_homedir returned ENOENT'); };
    syncBuiltinESMExports();
    const { homeFolder } = await import(${file('home-folder.ts')});
    const { useCompileCache } = await import(${file('compile-cache.ts')});
    const { loadKubeconfig } = await import(${file('credentials/load-kubeconfig.ts')});
    ${program}
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text], {
    env: { PATH: process.env['PATH'] },
    timeout: 60_000,
  });
  return stdout.trim();
}

test(
  'a user whom the system does not know has no home, unless HOME names one',
  { timeout: 60_000 },
  async () => {
    const program = "console.log(homeFolder({}), homeFolder({ HOME: '/data' }));";
    expect(await withoutHome(program)).toBe('undefined /data');
  },
);

test('a program starts without a home', { timeout: 60_000 }, async () => {
  expect(await withoutHome("useCompileCache('program'); console.log('started');")).toBe('started');
});

test(
  'a kubeconfig is looked for in no home, and the message says what to do',
  { timeout: 60_000 },
  async () => {
    const program =
      'await loadKubeconfig({ environment: {} }).catch((error) => console.log(error.name, error.message));';
    expect(await withoutHome(program)).toBe(
      'CredentialError no kubeconfig: HOME is not set, and this user has no home; set KUBECONFIG or give a file',
    );
  },
);
