import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  binaryNames,
  binarySources,
  etcdVersion,
  kubernetesMinors,
  kubernetesModule,
  kubernetesVersion,
  kubernetesMinorOf,
  kubernetesVersionOf,
  kwokVersion,
} from './versions.ts';

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

  it.each(kubernetesMinors)('have a module with all programs of Kubernetes %s', (minor) => {
    const version = kubernetesVersionOf({ ATOLL_KUBERNETES: minor });
    const text = goMod(kubernetesModule(version));
    expect(version.startsWith(`${minor}.`)).toBe(true);
    expect(text).toMatch(new RegExp(`^(require )?\\s*k8s.io/kubernetes ${version}( // indirect)?$`, 'm'));
    for (const { goPackage } of Object.values(binarySources).filter(({ module }) => module === 'kube'))
      expect(text).toMatch(new RegExp(`^\\s*${goPackage}$`, 'm'));
  });

  it('are those of one module where nobody asks, and a message where nobody has what is asked for', () => {
    expect(kubernetesVersionOf({})).toBe(kubernetesVersion);
    expect(kubernetesVersionOf({ ATOLL_KUBERNETES: '1.30' })).toMatch(/^v1\.30\./);
    expect(kubernetesMinorOf({ ATOLL_KUBERNETES: '1.30' })).toBe(30);
    expect(() => kubernetesVersionOf({ ATOLL_KUBERNETES: 'v1.29' })).toThrow(
      'there is no Kubernetes v1.29 here, but v1.37, v1.36, v1.33, v1.30',
    );
  });

  it.each([
    'README.md',
    'docs/contributing/releasing.md',
    'docs/contributing/testing.md',
    'docs/operating/install.md',
    'packages/testbed/README.md',
  ])('are named in %s, except the one that runs where nobody asks', (path) => {
    const text = readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
    const asked = kubernetesMinors.filter((minor) => !kubernetesVersion.startsWith(`${minor}.`));
    expect(asked.filter((minor) => !text.includes(minor.replace('v', '')))).toEqual([]);
  });

  it.each(binaryNames)('have %s among the tools of its module', (name) => {
    const { module, goPackage } = binarySources[name];
    expect(goMod(module)).toMatch(new RegExp(`^(tool )?\\s*${goPackage}$`, 'm'));
  });
});
