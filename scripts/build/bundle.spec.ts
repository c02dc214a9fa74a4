import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../checks.ts';
import type { BillOfMaterials } from './bill-of-materials.ts';
import { buildPrograms } from './build-programs.ts';
import { oldestNode } from './oldest-node.ts';
import { programs } from './programs.ts';
import { againstCycloneDx } from './schema-of-materials.ts';
import { withUmask } from './umask.fixture.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'atoll-build-'));
const folders = [newFolder(), newFolder()] as const;

beforeAll(async () => {
  const [one, two] = folders;
  await buildPrograms(one);
  await withUmask(0o077, async () => buildPrograms(two));
}, 600_000);

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

it('gives the same bytes twice, whatever the umask', () => {
  const [one, two] = folders;
  const files = filesOf(one);
  expect(files).toEqual(filesOf(two));
  expect(files).toEqual(
    expect.arrayContaining(
      programs.flatMap(({ name }) =>
        ['mjs', 'mjs.map', 'cdx.json', 'licences.txt'].map((ending) => `${name}.${ending}`),
      ),
    ),
  );
  const differ = files.filter((file) => !readFileSync(join(one, file)).equals(readFileSync(join(two, file))));
  expect(differ).toEqual([]);
});

it('gives files that everybody may read, also where the umask is 077', () => {
  const closed = folders.flatMap((folder) =>
    ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
      .map((path) => join(folder, path))
      .filter((path) => (statSync(path).mode & 0o444) !== 0o444),
  );
  expect(closed).toEqual([]);
});

const nameAt = (path: string): string => {
  const text = readFileSync(join(root, path, 'package.json'), 'utf8');
  const { name, version } = JSON.parse(text) as { readonly name: string; readonly version: string };
  return `${name}@${version}`;
};

/** What is needed, directly or not, by what starts it. */
function reached(dependencies: BillOfMaterials['dependencies'], start: string): ReadonlySet<string> {
  const found = new Set([start]);
  for (const each of found)
    for (const on of dependencies.find(({ ref }) => ref === each)?.dependsOn ?? []) found.add(on);
  return found;
}

describe.each(programs.map(({ name }) => name))('%s', (name) => {
  const file = join(folders[0], `${name}.mjs`);

  it('runs outside of this project, as JavaScript', async () => {
    const args = ['--no-strip-types', file, '--help'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: tmpdir() });
    expect(stdout).toContain(`Usage: ${name}`);
  });

  it('runs on a Node that cannot keep compiled code', async () => {
    // What the oldest has of that module.
    const older = `data:text/javascript,${encodeURIComponent(`
      const { createRequire } = process.getBuiltinModule('node:module');
      export { createRequire };
      export default { createRequire };`)}`;
    const { stdout } = await runWith(
      `import { registerHooks } from 'node:module';
      const url = ${JSON.stringify(older)};
      registerHooks({
        resolve: (name, context, next) =>
          name === 'node:module' ? { url, shortCircuit: true } : next(name, context),
      });`,
    );
    expect(stdout).toBe(`${packageJson.version}\n`);
  });

  it.each(['20.20.2', '22.2.0'])('says in one line that Node %s is too old', async (version) => {
    const versions = JSON.stringify({ ...process.versions, node: version });
    const older = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
    await expect(runWith(older)).rejects.toMatchObject({
      code: 1,
      stderr: `${name}: Node.js ${version} is too old: install Node.js ${oldestNode} or newer\n`,
    });
  });

  /** The program prints its version after this module was loaded. */
  async function runWith(module: string): Promise<{ readonly stdout: string }> {
    const args = ['--import', `data:text/javascript,${encodeURIComponent(module)}`, file, '--version'];
    return promisify(execFile)(process.execPath, args, { cwd: tmpdir() });
  }

  it('imports nothing but what is built into Node, and holds nothing of where it was built', () => {
    const code = readFileSync(file, 'utf8');
    const imported = [...code.matchAll(/^import\s[^;]*?from "(.*?)";$/gm)].map(([, from = '']) => from);
    expect(imported).not.toEqual([]);
    expect(imported.filter((from) => !builtinModules.includes(from.replace(/^node:/, '')))).toEqual([]);
    expect(code.includes(process.cwd())).toBe(false);
    const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: string[] };
    expect(sources.filter((path) => !/^(packages|node_modules)\//.test(path))).toEqual([]);
  });

  it('lists what it holds of others in CycloneDX, with version, licence and checksum', () => {
    const text = readFileSync(join(folders[0], `${name}.cdx.json`), 'utf8');
    expect(againstCycloneDx(text)).toEqual([]);
    const { components, dependencies, metadata } = JSON.parse(text) as BillOfMaterials;
    expect(components.map((each) => each['bom-ref']).toSorted()).toEqual(regions().map(nameAt).toSorted());
    for (const component of components) {
      expect(component.purl).toMatch(/^pkg:npm\/.+@\d/);
      expect(component).toMatchObject({
        licenses: [{ license: { id: expect.stringMatching(/^[\w.-]+$/) as string } }],
        hashes: [{ alg: 'SHA-512' }],
      });
    }
    const content = createHash('sha256').update(readFileSync(file)).digest('hex');
    expect(metadata).toMatchObject({
      component: { name, version: packageJson.version, hashes: [{ alg: 'SHA-256', content }] },
    });
    const refs = new Set([`${name}@${packageJson.version}`, ...components.map((each) => each['bom-ref'])]);
    expect(refs.size).toBe(components.length + 1);
    expect(dependencies.map(({ ref }) => ref).toSorted()).toEqual([...refs].toSorted());
    expect(reached(dependencies, `${name}@${packageJson.version}`)).toEqual(refs);
    // Of the machine, of the folder, of the time.
    expect(text).not.toMatch(/timestamp|serialNumber|atoll-build-/);
    expect(text.includes(process.cwd())).toBe(false);
  });

  it('comes with the licence text of everything that it holds', () => {
    const text = readFileSync(join(folders[0], `${name}.licences.txt`), 'utf8');
    for (const path of regions()) {
      const read = (entry: string): string => readFileSync(join(root, path, entry), 'utf8');
      expect(text).toContain(`\n${nameAt(path).replace(/(?<=.)@/, ' ')}: `);
      const texts = readdirSync(join(root, path)).filter((entry) => /^(licen[cs]e|notice)/i.test(entry));
      expect(texts).not.toEqual([]);
      for (const entry of texts) expect(text).toContain(read(entry).trim());
    }
  });

  /** The packages whose modules the code itself names, where each begins. */
  function regions(): readonly string[] {
    const supervisor = join(folders[0], name, 'supervisor.mjs');
    const code = [file, supervisor]
      .filter((each) => existsSync(each))
      .map((each) => readFileSync(each, 'utf8'));
    const found = code.join('\n').matchAll(/^\s*\/\/ ((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)/gm);
    return [...new Set([...found].map(([, path = '']) => path))].toSorted();
  }
});
