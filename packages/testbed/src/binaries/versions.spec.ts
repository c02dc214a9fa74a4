import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { binaryNames, binarySources, etcdVersion, kubernetesVersion, kwokVersion } from './versions.ts';

function goMod(module: string): string {
  return readFileSync(new URL(`../../binaries/${module}/go.mod`, import.meta.url), 'utf8');
}

describe('the versions', () => {
  it.each([
    ['kube', `k8s.io/kubernetes ${kubernetesVersion}`],
    ['etcd', `go.etcd.io/etcd/server/v3 ${etcdVersion}`],
    ['kwok', `sigs.k8s.io/kwok ${kwokVersion}`],
  ])('are those that the module %s requires', (module, requirement) => {
    expect(goMod(module)).toMatch(new RegExp(`^(require )?\\s*${requirement}( // indirect)?$`, 'm'));
  });

  it.each(binaryNames)('have %s among the tools of its module', (name) => {
    const { module, goPackage } = binarySources[name];
    expect(goMod(module)).toMatch(new RegExp(`^(tool )?\\s*${goPackage}$`, 'm'));
  });
});
