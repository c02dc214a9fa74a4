import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assetOf, assetVariable } from './assets.ts';

describe('a binary that the environment names', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atoll-assets-'));
    writeFileSync(join(folder, 'etcd'), '', { mode: 0o755 });
    writeFileSync(join(folder, 'kubectl'), '', { mode: 0o644 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has the variable of envtest', () => {
    expect(assetVariable('kube-controller-manager')).toBe('TEST_ASSET_KUBE_CONTROLLER_MANAGER');
  });

  it('is found in KUBEBUILDER_ASSETS', () => {
    expect(assetOf('etcd', { KUBEBUILDER_ASSETS: folder })).toBe(join(folder, 'etcd'));
  });

  it('is found by its own variable first', () => {
    const own = join(folder, 'my-etcd');
    writeFileSync(own, '', { mode: 0o755 });
    expect(assetOf('etcd', { KUBEBUILDER_ASSETS: folder, TEST_ASSET_ETCD: own })).toBe(own);
  });

  it('may be missing from KUBEBUILDER_ASSETS, but not from its own variable', () => {
    expect(assetOf('kwok', { KUBEBUILDER_ASSETS: folder })).toBeUndefined();
    expect(() => assetOf('kwok', { TEST_ASSET_KWOK: join(folder, 'kwok') })).toThrow(
      `TEST_ASSET_KWOK is ${join(folder, 'kwok')}, which is not an executable file`,
    );
  });

  it('must be executable', () => {
    expect(assetOf('kubectl', { KUBEBUILDER_ASSETS: folder })).toBeUndefined();
  });

  it('is nothing where the variables are empty', () => {
    expect(assetOf('etcd', { KUBEBUILDER_ASSETS: '', TEST_ASSET_ETCD: '' })).toBeUndefined();
  });
});
