import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useCompileCache } from './compile-cache.ts';
import { CredentialError } from './credentials/credential-error.ts';
import { loadKubeconfig } from './credentials/load-kubeconfig.ts';
import { homeFolder } from './home-folder.ts';

/** As where the system has no entry for the user's id. */
vi.mock('node:os', async (load) => ({
  ...(await load<object>()),
  homedir: () => {
    throw new Error('A system error occurred: uv_os_homedir returned ENOENT (no such file or directory)');
  },
}));

beforeEach(() => {
  for (const name of ['HOME', 'XDG_CACHE_HOME', 'NODE_COMPILE_CACHE']) vi.stubEnv(name, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

test('a user whom the system does not know has no home, unless HOME names one', () => {
  expect([homeFolder({}), homeFolder({ HOME: '/data' })]).toEqual([undefined, '/data']);
});

test('a program starts without a home', () => {
  expect(() => useCompileCache('program')).not.toThrow();
});

test('a kubeconfig is looked for in no home, and the message says what to do', async () => {
  const refused = loadKubeconfig({ environment: {} });
  await expect(refused).rejects.toThrow(CredentialError);
  await expect(refused).rejects.toThrow(
    'no kubeconfig: HOME is not set, and this user has no home; set KUBECONFIG or give a file',
  );
});
