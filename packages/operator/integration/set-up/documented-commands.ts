import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { obtainBinaries } from '@atoll/testbed';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const removalPage = 'docs/operating/remove.md';

/** The commands of one section of the page that says how to remove Atoll, in their order: its indented lines, up to the next heading. */
export function removalCommands(heading: string): readonly string[] {
  const lines = readFileSync(join(root, removalPage), 'utf8').split('\n');
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`${removalPage} has no heading "${heading}"`);
  const after = lines.slice(start + 1);
  const next = after.findIndex((line) => /^#+ /.test(line));
  const commands = after.slice(0, next === -1 ? undefined : next).filter((line) => line.startsWith('    '));
  return commands.map((line) => line.trim());
}

/** The blocks of commands of one section of a guide: what is indented and calls kubectl, up to the next heading of the same level. */
export function guideCommands(guide: string, heading: string): readonly string[] {
  const text = readFileSync(join(root, guide), 'utf8');
  const start = text.indexOf(`${heading}\n`);
  if (start === -1) throw new Error(`${guide} has no heading "${heading}"`);
  const section = text.slice(start + heading.length).split(/^## /m, 1)[0] ?? '';
  const blocks = section.match(/(?:^ {4,}.*\n)+/gm) ?? [];
  return blocks.filter((block) => block.includes('kubectl'));
}

/** Runs one as a person does: in a shell, at the root of a project, with the real kubectl. Rejects with its output. */
export async function runDocumented(command: string, kubeconfig: string, cwd = root): Promise<void> {
  const { kubectl } = await obtainBinaries();
  const env = {
    PATH: `${dirname(kubectl)}:${process.env['PATH'] ?? ''}`,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(dirname(kubeconfig), 'kubectl'),
  };
  await promisify(execFile)('sh', ['-e', '-c', command], { cwd, env, timeout: 150_000 });
}
