// What the documents tell their readers to type, in a clone in which nothing is installed, with the oldest Node that is allowed.
import { dirname, join } from 'node:path';
import { obtainBinaries, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followedPages, stepsOfPage } from '../../scripts/commands/followed-pages.ts';
import { handledCommands, type Handling } from '../../scripts/commands/handled-commands.ts';
import type { DocumentedStep } from '../../scripts/commands/steps-of.ts';
import { freshClone, type FreshClone } from './fresh-clone.ts';

const patience = 600_000;

let controlPlane: ControlPlane;
let clone: FreshClone;

beforeAll(async () => {
  const { kubectl } = await obtainBinaries();
  controlPlane = await startControlPlane({ fleet: { nodes: 3 } });
  await controlPlane.nodesReady();
  clone = freshClone({ path: [dirname(kubectl)], env: { KUBECONFIG: controlPlane.kubeconfig } });
}, patience);
afterAll(async () => {
  clone?.[Symbol.dispose]();
  await controlPlane?.stop();
}, patience);

function handlingOf(command: string): Handling {
  const handling = handledCommands[command];
  if (handling === undefined) throw new Error(`${command} is not in scripts/commands/handled-commands.ts`);
  return handling;
}

async function apply(manifest: string): Promise<void> {
  await clone.run(`kubectl apply -f - <<'END OF MANIFEST'\n${manifest}\nEND OF MANIFEST`);
}

async function follow(step: DocumentedStep): Promise<void> {
  if (step.do === 'apply') return apply(step.manifest);
  if (step.command === 'bin/atoll-operator') {
    const controllers = '--controllers=*,daemon-set-upgrade,image-pre-pull,extended-daemon-set';
    return clone.keepRunning(`${step.command} ${controllers} --bind-address=127.0.0.1:0`);
  }
  const handling = handlingOf(step.command);
  if ('run' in handling && handling.run === 'with its document')
    await clone.run(handling.as ?? step.command, patience);
}

describe('what the documents say', { timeout: 2 * patience }, () => {
  const inClone = Object.entries(handledCommands).flatMap(([command, handling]) =>
    'run' in handling && handling.run === 'in a fresh clone' ? [handling.as ?? command] : [],
  );

  it.each([...new Set(inClone)])('works in a fresh clone: %s', async (command) => {
    await expect(clone.run(command, patience)).resolves.toBeDefined();
  });

  it('works from another folder, through a link, and for a reader who leaves', async () => {
    const link = join(clone.directory, '..', 'testbed');
    await clone.run(`ln -s "$PWD/bin/atoll-testbed" ${link} && cd / && ${link} --help | head -1`);
    const help = await clone.run('bin/atoll-testbed --help 2>&1 | head -1');
    expect(help).toBe('Usage: atoll-testbed [options] [command]\n');
  });

  it.each(followedPages)('works in the order of $path', async (page) => {
    const { path, before } = page;
    if (path === 'README.md')
      await clone.run('kubectl label node node-1 zone=a; kubectl label node node-2 zone=b');
    if (before !== undefined) await apply(before);
    for (const step of stepsOfPage(page)) await expect(follow(step)).resolves.not.toThrow();
  });
});
