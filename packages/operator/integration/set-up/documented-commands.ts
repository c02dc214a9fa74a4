import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { obtainBinaries } from '@atoll/testbed';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/** The blocks of commands of one section of a guide: what is indented and calls kubectl, up to the next heading of the same level. */
export function guideCommands(guide: string, heading: string): readonly string[] {
  const text = readFileSync(join(root, guide), 'utf8');
  const start = text.indexOf(`${heading}\n`);
  if (start === -1) throw new Error(`${guide} has no heading "${heading}"`);
  const section = text.slice(start + heading.length).split(/^## /m, 1)[0] ?? '';
  const blocks = section.match(/(?:^ {4,}.*\n)+/gm) ?? [];
  return blocks.filter((block) => block.includes('kubectl'));
}

/** The commands of one section of the page that says how to remove Atoll, in their order: one in each line. */
export function removalCommands(heading: string): readonly string[] {
  return guideCommands('docs/operating/remove.md', heading).flatMap((block) => block.trim().split(/\n\s+/));
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
