import { chmodSync, cpSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { root } from '../checks.ts';
import { oldestNode } from './oldest-node.ts';
import type { Program } from './programs.ts';

const builtIn = new Set(builtinModules);

/**
 * Writes `<folder>/<name>.mjs`, which needs Node and nothing else, and its source map. The same sources give the same bytes,
 * whatever the time, the machine and the folder of the sources.
 */
export async function bundle(program: Program, folder: string): Promise<void> {
  const { name, entry, files = {}, helpers = [] } = program;
  const file = join(folder, `${name}.mjs`);
  await build({
    input: entry,
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    plugins: [ownRequire, located(program), onlyAscii],
    // A name that is not found would be left for Node to find in `node_modules`.
    external: (id) => id.startsWith('node:') || builtIn.has(id),
    // A slow machine would be a warning, and so an error.
    checks: { bundlerTimings: false },
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`${name}: ${log.message}`);
    },
    transform: { target: `node${oldestNode}` },
    output: {
      file,
      format: 'esm',
      intro: refusalOfOlderNode(name),
      // One file; a module that is imported late still runs late.
      codeSplitting: false,
      sourcemap: true,
      // From the root of this project, wherever the file is written to.
      sourcemapPathTransform: (path, map) => relative(root, resolve(dirname(map), path)),
      // Names, comments and lines stay: stack traces of a bundle are read at night, too.
      minify: false,
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  });
  chmodSync(file, 0o755);
  for (const [to, from] of Object.entries(files)) cpSync(from, join(folder, name, to), { recursive: true });
  for (const helper of helpers) await bundle(helper, join(folder, name));
}

/** Runs before all else, because what is imported is built into Node. */
function refusalOfOlderNode(name: string): string {
  const [major, minor] = oldestNode.split('.');
  return `{
	const [major, minor] = process.versions.node.split(".").map(Number);
	if (major < ${major} || major === ${major} && minor < ${minor}) {
		console.error("${name}: Node.js " + process.versions.node + " is too old: install Node.js ${oldestNode} or newer");
		process.exit(1);
	}
}`;
}

/** A `require` that a module makes for itself is hidden from bundlers; without it they see what is required. */
const ownRequire: Plugin = {
  name: 'own-require',
  transform: {
    filter: { code: 'createRequire(import.meta.url)' },
    handler: (code) => ({
      // The line stays, empty, so that positions are as they were.
      code: code.replace('const require = createRequire(import.meta.url);', ''),
      map: null,
    }),
  },
};

/** One character beyond Latin-1, in a comment perhaps, and V8 keeps the whole text with two bytes for each character. */
const onlyAscii: Plugin = {
  name: 'only-ascii',
  renderChunk: (code) => ({ code: code.replace(/[\u0080-\uffff]/g, escaped), map: null }),
};

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function located({ locator }: Program): Plugin {
  return {
    name: 'located',
    load: (id) => (locator !== undefined && id === locator.module ? locator.code : null),
  };
}
