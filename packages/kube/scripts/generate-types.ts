/**
 * Writes `src/types/` from the trimmed OpenAPI document of the API server.
 *
 *   generate-types.ts                      from testdata/openapi/schemas.json
 *   generate-types.ts --kubeconfig FILE    reads that document anew from a running API server first
 *   generate-types.ts --check              writes nothing; fails where src/types/ is not what would be written
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { createClient } from '../src/client/create-client.ts';
import { loadKubeconfig } from '../src/credentials/load-kubeconfig.ts';
import { typeSources } from './kinds.ts';
import { renderTypes } from './render-types.ts';
import type { Schema, SchemaFile } from './schema.ts';
import { trimSchemas } from './trim-schemas.ts';

const schemasFile = new URL('../testdata/openapi/schemas.json', import.meta.url);
const typesFolder = new URL('../src/types/', import.meta.url);

async function fetchSchemas(kubeconfig: string): Promise<SchemaFile> {
  const client = createClient(await loadKubeconfig({ path: kubeconfig }));
  const read = async (path: string): Promise<unknown> =>
    JSON.parse((await client.raw({ path })).body.toString('utf8'));
  const version = (await read('/version')) as { readonly gitVersion: string };
  const all: Record<string, Schema> = {};
  for (const document of new Set(typeSources.map((source) => source.document))) {
    const { components } = (await read(`/openapi/v3/${document}`)) as {
      readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
    };
    Object.assign(all, components.schemas);
  }
  await client.close();
  const wanted = typeSources.flatMap((source) => source.kinds.map((kind) => source.schemaPrefix + kind));
  return { kubernetesVersion: version.gitVersion, schemas: trimSchemas(all, wanted) };
}

/** JSON with a line for each schema, so that a new Kubernetes version shows as a readable difference. */
function linePerSchema(file: SchemaFile): string {
  const lines = Object.entries(file.schemas).map(
    ([name, schema]) => `  ${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  return `{\n "kubernetesVersion": ${JSON.stringify(file.kubernetesVersion)},\n "schemas": {\n${lines.join(',\n')}\n }\n}\n`;
}

/** File names and texts as they belong into `src/types/`. */
async function generatedTypes(): Promise<ReadonlyMap<string, string>> {
  const input = JSON.parse(await readFile(schemasFile, 'utf8')) as SchemaFile;
  const style = (await resolveConfig(new URL('any.ts', typesFolder))) ?? {};
  const files = new Map<string, string>();
  for (const [name, text] of renderTypes(input)) {
    files.set(name, await format(text, { ...style, parser: 'typescript' }));
  }
  return files;
}

/** The names of files whose text is not what the generator writes: changed by hand, missing, or left over. */
export async function staleTypes(): Promise<readonly string[]> {
  const wanted = await generatedTypes();
  const present = await readdir(typesFolder);
  const stale: string[] = present.filter((name) => !wanted.has(name));
  for (const [name, text] of wanted) {
    const actual = await readFile(new URL(name, typesFolder), 'utf8').catch(() => undefined);
    if (actual !== text) stale.push(name);
  }
  return stale;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { kubeconfig: { type: 'string' }, check: { type: 'boolean' } } });
  if (values.check === true) {
    const stale = await staleTypes();
    if (stale.length === 0) return;
    console.error(`packages/kube/src/types is not as generated: ${stale.join(', ')}; run npm run generate`);
    process.exitCode = 1;
    return;
  }
  if (values.kubeconfig !== undefined) {
    const schemas = await fetchSchemas(values.kubeconfig);
    await mkdir(new URL('.', schemasFile), { recursive: true });
    await writeFile(schemasFile, linePerSchema(schemas));
  }
  await rm(typesFolder, { recursive: true, force: true });
  await mkdir(typesFolder, { recursive: true });
  for (const [name, text] of await generatedTypes()) await writeFile(new URL(name, typesFolder), text);
}

if (import.meta.main) await main();
