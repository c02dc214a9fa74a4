// What `npm ci` brings in: exactly what the lock file says, checked by its digest, and none of it runs while it is installed.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

interface Locked {
  readonly link?: boolean;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

function read<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
}

const { packages } = read<{ readonly packages: Readonly<Record<string, Locked>> }>('package-lock.json');
const others = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

describe('the lock file', () => {
  it('has a digest for every package of others, and takes none from Git or from an address of its own', () => {
    expect(others.length).toBeGreaterThan(0);
    const unchecked = others.filter(
      ([, { integrity, resolved }]) => integrity?.startsWith('sha512-') !== true || resolved !== undefined,
    );
    expect(unchecked.map(([path]) => path)).toEqual([]);
  });

  it('has no package that runs a script when it is installed', () => {
    const scripted = others.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(scripted.map(([path]) => path)).toEqual([]);
  });
});

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

describe.each(['package.json', 'bench/package.json', ...globSync('packages/*/package.json', { cwd: root })])(
  '%s',
  (path) => {
    const { dependencies, devDependencies, optionalDependencies, scripts = {} } = read<Manifest>(path);

    it('names exact versions', () => {
      const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
      const loose = all.filter(
        ([name, version]) => !name.startsWith('@atoll/') && !/^\d+\.\d+\.\d+$/.test(version),
      );
      expect(loose).toEqual([]);
    });

    it('runs nothing when it is installed', () => {
      const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
      expect(Object.keys(scripts).filter((name) => hooks.includes(name))).toEqual([]);
    });
  },
);
