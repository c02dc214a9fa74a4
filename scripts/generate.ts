import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { argocdPatch } from './generate/argocd.ts';
import { chartDefinitions } from './generate/chart.ts';
import { documents } from './generate/documents.ts';
import { fieldsFolder } from './fields/field-pages.ts';
import { manifests } from './generate/manifests.ts';

const usage = `usage: npm run generate -- [--check]

Writes the generated files of the project: the manifests below deploy/ from the schemas of packages/api, the documents
of reasons, metrics, flags and fields below docs/ from what the code declares, and the types of the built-in kinds in
packages/kube from the API server's own description.

  --check   writes nothing; ends with exit code 1 and names every file that is not as it would be generated`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** All of what is in these is generated. */
const generatedFolders = ['deploy/crds', chartDefinitions, fieldsFolder];

const options = new Set(process.argv.slice(2));
if (options.has('--help') || options.has('-h')) {
  console.log(usage);
  process.exit(0);
}
const check = options.delete('--check');
if (options.size > 0) {
  const given = [...options].join(' ');
  console.error(
    `error: unknown "${given}"; there is --check. npm run generate -- --help shows how it is used`,
  );
  process.exit(2);
}
const stale = [...(await outdatedManifests()), ...(await leftOverManifests())];
const typesAreStale = !generateTypes();
if (check && (stale.length > 0 || typesAreStale)) {
  for (const path of stale) console.error(`${path} is not as it would be generated.`);
  console.error('Run `npm run generate` and commit the result.');
  process.exit(1);
}

async function outdatedManifests(): Promise<readonly string[]> {
  const outdated: string[] = [];
  for (const { path, text } of [...manifests(), argocdPatch(), ...(await documents())]) {
    const file = join(root, path);
    if (existsSync(file) && (await readFile(file, 'utf8')) === text) continue;
    outdated.push(path);
    if (check) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    console.log(`wrote ${path}`);
  }
  return outdated;
}

/** CRDs of kinds that are no longer there, and pages of their fields. */
async function leftOverManifests(): Promise<readonly string[]> {
  const expected = new Set([...manifests(), ...(await documents())].map(({ path }) => path));
  const folders = generatedFolders.filter((folder) => existsSync(join(root, folder)));
  const there = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder))).map((name) => `${folder}/${name}`)),
  );
  const left = there.flat().filter((path) => !expected.has(path));
  for (const path of check ? [] : left) {
    await rm(join(root, path));
    console.log(`removed ${path}`);
  }
  return left;
}

/** Runs the generator of the built-in types. False: `--check` found them stale; it has named them. */
function generateTypes(): boolean {
  const generator = join(root, 'packages/kube/scripts/generate-types.ts');
  if (!existsSync(generator)) return true;
  const result = spawnSync(process.execPath, [generator, ...(check ? ['--check'] : [])], {
    stdio: 'inherit',
  });
  if (result.error !== undefined) throw result.error;
  return result.status === 0;
}
