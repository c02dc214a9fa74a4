import { join } from 'node:path';
import { root } from '../checks.ts';

/** A program that is built into one file. */
export interface Program {
  /** The file is `<name>.mjs`. */
  readonly name: string;
  readonly entry: string;
  /** Its own files, by the name that they have in the folder `<name>` beside the bundle. */
  readonly files?: Readonly<Record<string, string>>;
  /** Programs that it starts; they are bundles in the same folder. */
  readonly helpers?: readonly Program[];
  /** The module with their places, and what stands in its place in the bundle. */
  readonly locator?: { readonly module: string; readonly code: string };
}

const source = (...path: string[]): string => join(root, 'packages', ...path);

const testbed = {
  name: 'atoll-testbed',
  entry: source('testbed', 'src', 'cli.ts'),
  files: { binaries: source('testbed', 'binaries'), stages: source('testbed', 'stages') },
  helpers: [{ name: 'supervisor', entry: source('testbed', 'src', 'supervisor', 'main.ts') }],
  locator: {
    module: source('testbed', 'src', 'own-files.ts'),
    code: `export const ownFiles = {
      supervisor: new URL('./atoll-testbed/supervisor.mjs', import.meta.url),
      binaries: new URL('./atoll-testbed/binaries/', import.meta.url),
      stages: new URL('./atoll-testbed/stages/', import.meta.url),
    };`,
  },
} as const satisfies Program;

const all = [
  { name: 'atoll-operator', entry: source('operator', 'src', 'main.ts') },
  { name: 'atoll-agent', entry: source('agent', 'src', 'main.ts') },
  { name: 'kubectl-eds', entry: source('cli', 'src', 'kubectl-eds.ts') },
  { name: 'check-eds', entry: source('cli', 'src', 'check-eds.ts') },
  testbed,
] as const satisfies readonly Program[];

export type ProgramName = (typeof all)[number]['name'];

export const programs: readonly (Program & { readonly name: ProgramName })[] = all;

export function programNamed(name: ProgramName): Program {
  const found = programs.find((program) => program.name === name);
  if (found === undefined) throw new Error(`scripts/build/programs.ts has no ${name}`);
  return found;
}
