import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../checks.ts';
import type { BundledPackage } from './bundled-packages.ts';
import { sha256Of } from './sha256-of.ts';

/** The part of a CycloneDX document that is read or written here. */
export interface BillOfMaterials {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: string;
  readonly metadata: object;
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

export interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
}

interface Dependency {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

/** npm's own account of the lockfile, which names more than a bundle holds. */
export async function installedMaterials(): Promise<BillOfMaterials> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout) as BillOfMaterials;
}

/**
 * CycloneDX: the program, and the packages whose code is in its bundle. What differs from one run to the next (the time, a random number, the
 * version of npm, the name of the folder) is left out, so that the same sources give the same bytes.
 */
export function materialsOf(
  program: { readonly name: string; readonly file: string },
  packages: readonly BundledPackage[],
  installed: BillOfMaterials,
): BillOfMaterials {
  const { name, file } = program;
  const { version } = packageJson;
  const ref = `${name}@${version}`;
  const components = packages.map((each) => componentOf(each, installed));
  const refs = new Set(components.map((component) => component['bom-ref']));
  const dependencies = installed.dependencies
    .map(({ ref: from, dependsOn = [] }) => ({
      ref: from,
      dependsOn: dependsOn.filter((on) => refs.has(on)).toSorted(),
    }))
    .filter(({ ref: from }) => refs.has(from))
    .toSorted((one, other) => (one.ref < other.ref ? -1 : 1));
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
  const component = {
    'bom-ref': ref,
    type: 'application',
    name,
    version,
    hashes: [{ alg: 'SHA-256', content: sha256Of(file) }],
    licenses: [{ license: { id: packageJson.license } }],
  };
  return {
    bomFormat: 'CycloneDX',
    specVersion: installed.specVersion,
    metadata: { lifecycles: [{ phase: 'build' }], component },
    components,
    dependencies: [{ ref, dependsOn: [...refs].filter((each) => !needed.has(each)) }, ...dependencies],
  };
}

function componentOf({ name, version }: BundledPackage, installed: BillOfMaterials): Component {
  const ref = `${name}@${version}`;
  const found = installed.components.find((component) => component['bom-ref'] === ref);
  if (found === undefined) throw new Error(`${ref} is in a bundle and not in package-lock.json: npm ci`);
  return found;
}
