// `deploy/optional/conditions-of-atoll.gotmpl`, filled in by kubectl without a server: which commands it prints for which kind.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { obtainBinaries } from '@atoll/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';

const template = join(import.meta.dirname, '..', '..', 'deploy', 'optional', 'conditions-of-atoll.gotmpl');
let kubectl: string;
let folder: string;

beforeAll(async () => {
  ({ kubectl } = await obtainBinaries());
  folder = await mkdtemp(join(tmpdir(), 'conditions-template-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function printed(apiVersion: string, kind: string, types: readonly string[]): Promise<string> {
  const [manifest, oneItem] = [join(folder, 'object.json'), join(folder, 'one-item.gotmpl')];
  const conditions = types.map((type) => ({ type, status: 'True' }));
  const metadata = { name: 'agent', namespace: 'edge', uid: 'uid-1' };
  await writeFile(manifest, JSON.stringify({ apiVersion, kind, metadata, status: { conditions } }));
  // kubectl gives one object of a file, and the items of what it gets from a server.
  const text = await readFile(template, 'utf8');
  await writeFile(oneItem, text.replace('{{- range .items -}}', '{{- with . -}}'));
  const args = ['annotate', '--local', '-f', manifest, 'a=b', '-o', `go-template-file=${oneItem}`];
  const { stdout } = await promisify(execFile)(kubectl, args, { env: { KUBECONFIG: '/dev/null' } });
  return stdout.trim();
}

it.each([
  ['apps.openyurt.io/v1beta2', 'NodePool', 'nodepools.apps.openyurt.io'],
  ['apps.openyurt.io/v1alpha1', 'YurtAppDaemon', 'yurtappdaemons.apps.openyurt.io'],
  ['apps.openyurt.io/v1alpha1', 'UnitedDaemonSet', 'uniteddaemonsets.apps.openyurt.io'],
  ['apps.kruise.io/v1alpha1', 'UnitedDeployment', 'uniteddeployments.apps.kruise.io'],
  ['datadoghq.com/v1alpha1', 'ExtendedDaemonSet', 'extendeddaemonsets.datadoghq.com'],
  ['datadoghq.com/v1alpha1', 'ExtendedDaemonsetSetting', 'extendeddaemonsetsettings.datadoghq.com'],
])('of %s a %s is patched as %s', async (apiVersion, kind, resource) => {
  const command = await printed(apiVersion, kind, ['Ready', 'Canary-Failed', 'Stalled']);
  expect(command).toBe(
    `kubectl patch ${resource} agent -n edge --subresource=status --type=json -p '[` +
      '{"op":"test","path":"/metadata/uid","value":"uid-1"},' +
      '{"op":"test","path":"/status/conditions/2/type","value":"Stalled"},{"op":"remove","path":"/status/conditions/2"},' +
      '{"op":"test","path":"/status/conditions/0/type","value":"Ready"},{"op":"remove","path":"/status/conditions/0"}' +
      `]'`,
  );
});

it.each([
  ['ExtendedDaemonSet', 'that its active replica set is not known', 'ActiveReplicaSetUnknown'],
  ['ExtendedDaemonsetSetting', 'that the old operator had an error of it', 'NotAppliedBefore'],
])('an %s is left without what records %s', async (kind, _what, type) => {
  const command = await printed('datadoghq.com/v1alpha1', kind, [type]);
  expect(command).toContain('{"op":"remove","path":"/status/conditions/0"}');
});

it('a DaemonSet is left without those that Atoll writes there, and with those of others', async () => {
  const command = await printed('apps/v1', 'DaemonSet', [
    'atoll.dev/UpToDate',
    'Ready',
    'atoll.dev/Held',
    'Stalled',
  ]);
  expect(command).toBe(
    `kubectl patch daemonsets.apps agent -n edge --subresource=status --type=json -p '[` +
      '{"op":"test","path":"/metadata/uid","value":"uid-1"},' +
      '{"op":"test","path":"/status/conditions/3/type","value":"Stalled"},{"op":"remove","path":"/status/conditions/3"},' +
      '{"op":"test","path":"/status/conditions/2/type","value":"atoll.dev/Held"},{"op":"remove","path":"/status/conditions/2"},' +
      '{"op":"test","path":"/status/conditions/0/type","value":"atoll.dev/UpToDate"},{"op":"remove","path":"/status/conditions/0"}' +
      `]'`,
  );
});

it.each([
  ['datadoghq.com/v1alpha1', 'ExtendedDaemonSet', 'Canary-Paused'],
  ['apps/v1', 'DaemonSet', 'Ready'],
])('nothing is printed for a %s %s without a condition of ours', async (apiVersion, kind, type) => {
  expect(await printed(apiVersion, kind, [type])).toBe('');
});
