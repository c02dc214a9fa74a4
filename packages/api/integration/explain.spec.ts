// What `kubectl explain` shows of templates, and that it changes nothing for those who write them.
import { execFile } from 'node:child_process';
import { join, dirname } from 'node:path';
import { promisify } from 'node:util';
import { obtainBinaries } from '@atoll/testbed';
import { extendedDaemonSets, type ExtendedDaemonSet } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import type { StreamingClient } from '@atoll/kube';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connect } from './connect.ts';

const kubeconfig = inject('kubeconfig');
let client: StreamingClient;
let kubectl: string;

async function run(...args: readonly string[]): Promise<string> {
  const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dirname(kubeconfig), 'explain') };
  return (await promisify(execFile)(kubectl, args, { env })).stdout;
}

beforeAll(async () => {
  ({ kubectl } = await obtainBinaries());
  client = await connect(kubeconfig);
  await install(client);
});
afterAll(() => client?.close());

describe('kubectl explain', () => {
  const template = 'template.spec';
  it.each([
    ...['deploymentTemplate', 'statefulSetTemplate'].flatMap((member) => [
      `uniteddaemonset.spec.workloadTemplate.${member}.spec.${template}`,
      `yurtappdaemon.spec.workloadTemplate.${member}.spec.${template}`,
    ]),
    ...['deploymentTemplate', 'statefulSetTemplate', 'cloneSetTemplate', 'advancedStatefulSetTemplate'].map(
      (member) => `uniteddeployment.spec.template.${member}.spec.${template}`,
    ),
    `extendeddaemonset.spec.${template}`,
    `extendeddaemonsetreplicaset.spec.${template}`,
  ])('lists the fields of %s', async (path) => {
    const output = await run('explain', path);
    for (const field of ['containers', 'volumes', 'nodeSelector', 'tolerations', 'serviceAccountName'])
      expect(output).toMatch(new RegExp(`^ {2}${field}\\t<.*>\\n {4}\\S.*`, 'm'));
  });
});

it('lets two people apply two entries of one field that is described', async () => {
  const object = (entry: object, tolerations: readonly object[]): object => ({
    metadata: { namespace: 'default', name: 'described' },
    spec: {
      strategy: {},
      template: {
        metadata: { labels: { app: 'described' } },
        spec: { nodeSelector: entry, tolerations, containers: [{ name: 'app', image: 'app:1' }] },
      },
    },
  });
  const applied = async (fieldManager: string, entry: object): Promise<ExtendedDaemonSet> =>
    client.apply(extendedDaemonSets, object(entry, [{ operator: 'Exists' }]) as ExtendedDaemonSet, {
      fieldManager,
    });
  await applied('one', { a: 'x' });
  const both = await applied('other', { b: 'y' });
  expect(both.spec.template.spec).toMatchObject({ nodeSelector: { a: 'x', b: 'y' } });
  const withNull = object({ c: null }, []) as ExtendedDaemonSet;
  await expect(
    client.apply(extendedDaemonSets, withNull, { fieldManager: 'third', force: true, dryRun: true }),
  ).resolves.toBeDefined();
});
