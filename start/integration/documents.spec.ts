// What the documents tell their readers to type, in a clone in which nothing is installed, with the oldest Node that is allowed.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { obtainBinaries, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/commands/documents.ts';
import { handledCommands, type Handling } from '../../scripts/commands/handled-commands.ts';
import { stepsOf, type DocumentedStep } from '../../scripts/commands/steps-of.ts';
import { freshClone, type FreshClone } from './fresh-clone.ts';

/** In the order in which a reader meets them; those of other operators last, which begin with what these left. */
const followed: readonly { readonly path: string; readonly until?: string; readonly before?: string }[] = [
  { path: 'README.md', until: '## Taking it out' },
  { path: 'docs/users/quickstart.md' },
  { path: 'docs/users/node-pool.md' },
  { path: 'docs/users/pool-workloads.md' },
  { path: 'docs/users/united-deployment.md' },
  { path: 'docs/users/troubleshooting.md' },
  { path: 'docs/users/conditions-and-events.md' },
  { path: 'docs/users/daemon-sets.md' },
  { path: 'docs/users/extended-daemon-set.md' },
  { path: 'docs/users/kubectl-eds.md' },
  { path: 'docs/users/node-agent.md' },
  { path: 'docs/decisions/0007-admission-webhook.md' },
  { path: 'packages/testbed/README.md' },
  { path: 'docs/operating/install.md' },
  { path: 'docs/users/migration-openyurt.md', before: leftBy('kube-system', 'yurt-app-manager', 'yurt') },
  {
    path: 'docs/users/migration-kruise.md',
    before: `${leftBy('kruise-system', 'kruise-controller-manager', 'kruise-validating-webhook-configuration')}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: { name: kruise-mutating-webhook-configuration }
`,
  },
];
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

  it('is followed in pages that are all looked at', () => {
    const paths = followed.map(({ path }) => path);
    const commands = new Set(
      paths.flatMap((path) => stepsIn(path)).flatMap((step) => (step.do === 'run' ? [step.command] : [])),
    );
    const missing = Object.entries(handledCommands).filter(
      ([command, handling]) =>
        'run' in handling && handling.run === 'with its document' && !commands.has(command),
    );
    expect(missing.map(([command]) => command)).toEqual([]);
  });

  it.each(followed)('works in the order of $path', async ({ path, until, before }) => {
    if (path === 'README.md')
      await clone.run('kubectl label node node-1 zone=a; kubectl label node node-2 zone=b');
    if (before !== undefined) await apply(before);
    for (const step of stepsIn(path, until)) await expect(follow(step)).resolves.not.toThrow();
  });
});

function stepsIn(path: string, until?: string): readonly DocumentedStep[] {
  const text = readFileSync(join(root, path), 'utf8');
  if (until !== undefined && !text.includes(until)) throw new Error(`${path} has no heading ${until}`);
  return stepsOf(until === undefined ? text : text.slice(0, text.indexOf(until))).steps;
}

/** What an older operator has in a cluster, as far as commands name it. */
function leftBy(namespace: string, deployment: string, webhooks: string): string {
  return `
apiVersion: v1
kind: Namespace
metadata: { name: ${namespace} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${deployment}, namespace: ${namespace} }
spec:
  selector: { matchLabels: { app: ${deployment} } }
  template:
    metadata: { labels: { app: ${deployment} } }
    spec: { containers: [{ name: manager, image: 'manager:1' }] }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: ${webhooks} }
`;
}
