// Whatever keeps the operator from starting for good (what may pass is in start.spec.ts): one message with what to do, and an exit code that is not 0.
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { operatorNames } from '@atoll/api';
import { install } from '@atoll/operator/install';
import { createClient, loadKubeconfig, type StreamingClient } from '@atoll/kube';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorAccount } from '../set-up/operator-control-plane.ts';
import { runMain, type Ended } from '../set-up/run-main.ts';
import { untilGranted } from '../set-up/until-granted.ts';

let controlPlane: ControlPlane;
let client: StreamingClient;
/** The operator's own. */
let kubeconfig: string;

beforeAll(async () => {
  controlPlane = await startControlPlane({ components: [] });
  client = createClient(await loadKubeconfig({ path: controlPlane.kubeconfig }));
  kubeconfig = await controlPlane.kubeconfigFor(operatorAccount);
});

afterAll(async () => {
  await client?.close();
  await controlPlane?.stop();
});

/** A kubeconfig like the operator's with something replaced. */
async function changed(name: string, from: RegExp, to: string): Promise<string> {
  const file = join(controlPlane.directory, `${name}.kubeconfig`);
  const text = await readFile(kubeconfig, 'utf8');
  expect(text).toMatch(from);
  await writeFile(file, text.replace(from, to));
  return file;
}

async function refused(...args: readonly string[]): Promise<Ended> {
  return runMain(['--bind-address=0', '--kubeconfig', kubeconfig, ...args]);
}

function one(code: number, message: RegExp): object {
  return { code, lines: [expect.stringMatching(message)], out: '' };
}

describe('the command line', () => {
  it.each([
    [
      ['--workers=none'],
      /^error: option '--workers <n>' argument 'none' is invalid\. Allowed is a whole number/,
    ],
    [
      ['--controllers=*,node-pol'],
      /^error: --controllers .* "node-pol" is not a controller; allowed are \*, /,
    ],
    [['--leader-elect-lease-duration=5s'], /^error: --leader-elect-renew-deadline .* must be shorter than/],
    [['--kubeconfg=x'], /^error: unknown option '--kubeconfg=x'/],
  ])('%j is refused with exit code 2', async (args, message) => {
    const { lines, ...ended } = await runMain(args);
    expect(ended).toEqual({ code: 2, out: '' });
    expect(lines[0]).toMatch(message);
  });

  it('explains itself on standard output with exit code 0', async () => {
    const { code, lines, out } = await runMain(['--help']);
    expect([code, lines]).toEqual([0, []]);
    expect(out).toContain('Exit codes:');
  });
});

describe('a kubeconfig', () => {
  it('that is missing is named', async () => {
    expect(await refused('--kubeconfig=/nowhere/config')).toEqual(
      one(1, /^atoll-operator: \/nowhere\/config: no such file$/),
    );
  });

  it('that is in no place where one is looked for leads to the flag', async () => {
    expect(await runMain(['--bind-address=0'])).toEqual(
      one(1, /^atoll-operator: no kubeconfig: \/nonexistent\/\.kube\/config: no such file; .*KUBECONFIG/),
    );
  });

  it('in $KUBECONFIG is used, and its mistakes are reported with the field', async () => {
    const file = await changed('bad-server', /server: .*/, 'server: ftp://10.0.0.1');
    expect(await runMain(['--bind-address=0'], { KUBECONFIG: file })).toEqual(
      one(1, /^atoll-operator: .*bad-server\.kubeconfig: clusters\[name=[\w-]+\]\.cluster\.server: /),
    );
  });

  it('without the context that is asked for lists those that there are', async () => {
    expect(await refused('--context=production')).toEqual(
      one(1, /^atoll-operator: .*no context "production"; allowed: [\w-]+$/),
    );
  });
});

describe('a cluster', () => {
  it('that shows the certificate of another authority is not trusted', async () => {
    const file = await changed('stranger', / *certificate-authority-data: .*\n/, '');
    expect(await refused('--kubeconfig', file)).toEqual(
      one(1, /^atoll-operator: Cannot use the API server at https:\S+: .*certificate/),
    );
  });

  it('that does not accept the credentials is reported', async () => {
    const file = await changed('stale', /token: .*/, 'token: nobody-knows-me');
    expect(await refused('--kubeconfig', file)).toEqual(
      one(1, /^atoll-operator: .* it does not accept these credentials \(401 Unauthorized\)\.$/),
    );
  });

  it('without the CRDs logs what is missing and how to install it', async () => {
    expect(await refused()).toEqual(
      one(
        1,
        /does not serve extendeddaemonsetreplicasets\S+ v1alpha1, extendeddaemonsets\S+ v1alpha1, extendeddaemonsetsettings\S+ v1alpha1, nodepools\.apps\.openyurt\.io v1beta2, uniteddaemonsets\S+ v1alpha1, uniteddeployments\S+ v1alpha1, yurtappdaemons\S+ v1alpha1: install Atoll's CRDs first/,
      ),
    );
  });

  describe('with Atoll installed', () => {
    beforeAll(async () => {
      await install(client);
      await untilGranted(kubeconfig);
    });

    it.each([
      ['cannot serve health', '--bind-address', []],
      ['metrics: cannot serve metrics', '--metrics-bind-address', []],
      ['webhooks: cannot serve webhooks', '--webhook-bind-address', ['--webhook-url=https://127.0.0.1:0']],
    ])('lets it start far enough to find its port in use: %s', async (what, flag, others) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const ended = await refused(`${flag}=127.0.0.1:${port}`, ...others);
      server.close();
      expect(ended).toEqual(
        one(
          1,
          new RegExp(`^atoll-operator: ${what} on 127\\.0\\.0\\.1:${port}: another process listens there$`),
        ),
      );
    });

    it('that refuses what it needs lists all of it at once', async () => {
      const stranger = await controlPlane.kubeconfigFor({
        namespace: operatorNames.namespace,
        name: 'stranger',
      });
      const ended = await refused('--kubeconfig', stranger);
      expect(ended).toEqual(
        one(1, /does not allow this user to .*: bind the roles of deploy\/rbac\.yaml to it\.$/),
      );
      for (const right of [
        'get, list, watch, patch nodepools.apps.openyurt.io',
        'get, list, watch, patch nodes',
        'create, patch, delete',
      ]) {
        expect(ended.lines[0]).toContain(right);
      }
    });

    it('that refuses the Lease is reported instead of waited for', async () => {
      expect(await refused('--leader-elect-resource-namespace=kube-system')).toEqual(
        one(
          1,
          /does not allow this user to create leases\.coordination\.k8s\.io in kube-system; get, update /,
        ),
      );
    });

    it('without the namespace of the Lease is reported even to an administrator', async () => {
      const file = join(controlPlane.directory, 'kubeconfig');
      expect(await refused('--kubeconfig', file, '--leader-elect-resource-namespace=nowhere')).toEqual(
        one(1, /^atoll-operator: The namespace nowhere, where the Lease .* does not exist at https:/),
      );
    });
  });
});
