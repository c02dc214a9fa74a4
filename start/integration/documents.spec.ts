// What the documents ask their readers to type, in a clone in which nothing is installed, with the oldest Node that is allowed.
import { dirname, join } from 'node:path';
import { kubernetesMinorOf, obtainBinaries, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followedPages, stepsOfPage } from '../../scripts/commands/followed-pages.ts';
import { handledCommands, type Handling } from '../../scripts/commands/handled-commands.ts';
import type { DocumentedStep } from '../../scripts/commands/steps-of.ts';
import { freshClone, type FreshClone } from './fresh-clone.ts';

const patience = 600_000;
/** Of the control plane, and of the kubectl with which commands are run. */
const kubectlMinor = kubernetesMinorOf(process.env);

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
    const controllers = '--controllers=*,daemon-set-upgrade,image-pre-pull';
    // Nothing starts it again here where it loses its Lease, as on a machine that is too busy to renew it.
    const election = '--leader-elect-lease-duration=150s --leader-elect-renew-deadline=120s';
    return clone.keepRunning(`${step.command} ${controllers} --bind-address=127.0.0.1:0 ${election}`);
  }
  const handling = handlingOf(step.command);
  if ('run' in handling && handling.run === 'with its document' && kubectlMinor >= (handling.since ?? 0))
    await clone.run(handling.as ?? step.command, patience);
}

describe('what the documents say', { timeout: 2 * patience }, () => {
  const inClone = Object.entries(handledCommands).flatMap(([command, handling]) =>
    'run' in handling && handling.run === 'in a fresh clone' ? [handling.as ?? command] : [],
  );

  it.each([...new Set(inClone)])('works in a fresh clone: %s', async (command) => {
    await expect(clone.run(command, patience)).resolves.toBeDefined();
  });

  it('works in a fresh clone: npm start -- --once', async () => {
    const left = await clone.run('ls "$TMPDIR"');
    const output = await clone.run('npm start -- --once', patience);
    const lines = output.split('\n');
    // Whatever cluster is exported, it is not touched.
    expect(lines).toContain('$KUBECONFIG is not used here. For that cluster: npm start -- --kubeconfig ""');
    expect(output).toContain('is up, with 3 pools of 3 nodes each');
    for (const line of [
      'pool shanghai: 3 of 3 nodes ready',
      'UnitedDaemonSet kube-system/pool-dns with coredns/coredns:1.12.0: Ready',
      'YurtAppDaemon default/nginx with nginx:1.27: Ready',
      'YurtAppDaemon default/nginx with nginx:1.28: Ready',
      'UnitedDeployment default/zones in subset zone-b: 2 of 2 pods ready',
      'UnitedDeployment default/zones with nginx:1.27: Ready',
      'DaemonSet default/gateway with nginx:1.27: Ready',
      'DaemonSet default/gateway on node beijing-node-1: 1 of 1 pod ready, 0 of the new template',
      'DaemonSet default/gateway on node beijing-node-1: 1 of 1 pod ready',
      'beijing-node-1 runs the new image. The other nodes keep the old one until their owners ask.',
      'ExtendedDaemonSet default/collector with nginx:1.27: Ready',
      'The canary is Ready. It is promoted when its duration is over.',
      'ExtendedDaemonSet default/collector with nginx:1.28: Ready',
      'The canary was promoted: every node runs nginx:1.28.',
      'The canary failed: its node and the template in the spec are back at nginx:1.28.',
    ])
      expect(lines).toContain(line);
    expect(output).not.toContain('\u001b');
    expect(await clone.run('ls "$TMPDIR"')).toBe(left);
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
