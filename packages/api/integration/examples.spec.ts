import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  configMaps,
  daemonSets,
  deployments,
  statefulSets,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ExtendedDaemonSet, PoolWorkload, UnitedDeployment } from '../src/index.ts';
import { install } from '../src/install/index.ts';
import { kinds as installed } from '../src/schema/index.ts';
import { connect } from './connect.ts';

let client: StreamingClient;
/** Without those that the operator alone writes. */
const kinds = installed.filter(({ resource }) => resource.kind !== 'ExtendedDaemonSetReplicaSet');
const dryRun = { fieldManager: 'api-specs', force: true, dryRun: true };
const resources: readonly Resource<KubeObject>[] = [
  configMaps,
  daemonSets,
  ...kinds.map((kind) => kind.resource),
];

const folder = join(import.meta.dirname, '../../../examples');
const objects = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
  .map((document) => document.toJS() as KubeObject)
  .map((object) => [object.kind ?? '', object.metadata.name, object] as const);

/** Of the kinds that Kubernetes itself has. */
const subsetWorkloads = objects.flatMap(([kind, name, object]) => {
  if (kind !== 'UnitedDeployment') return [];
  const { deploymentTemplate, statefulSetTemplate } = (object as UnitedDeployment).spec.template;
  return [
    ...(deploymentTemplate === undefined ? [] : [['Deployment', name, deploymentTemplate.spec] as const]),
    ...(statefulSetTemplate === undefined ? [] : [['StatefulSet', name, statefulSetTemplate.spec] as const]),
  ];
});

beforeAll(async () => {
  client = await connect(inject('kubeconfig'));
  await install(client, { installation: { kinds: installed } });
});

describe('the examples', () => {
  it.each(objects)('hold a %s %s that the API server accepts', async (kind, name, object) => {
    const resource = resources.find((each) => each.kind === kind);
    if (resource === undefined) throw new Error(`the resource of ${kind} ${name} is unknown`);
    const applied = await client.apply(resource, object, dryRun);
    expect(applied.metadata.name).toBe(name);
  });

  it.each(kinds)('of the kind $resource.kind are not Ready before the operator has looked', async (kind) => {
    const [, , example] = objects.find(([name]) => name === kind.resource.kind) ?? [];
    const { namespace } = example?.metadata ?? {};
    const metadata = { name: 'unseen', ...(namespace === undefined ? {} : { namespace }) };
    const { spec } = example as KubeObject & { readonly spec: object };
    await client.create(kind.resource, { metadata, spec } as KubeObject);
    for (const { name: version } of kind.versions) {
      const read = await client.get({ ...kind.resource, version }, metadata);
      expect(read).toMatchObject({
        status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NotYetObserved' }] },
      });
    }
    await client.delete(kind.resource, metadata);
  });

  it.each(objects.filter(([kind]) => kind === 'UnitedDaemonSet' || kind === 'YurtAppDaemon'))(
    'hold a %s %s whose template is a Deployment',
    async (_kind, name, object) => {
      const { deploymentTemplate } = (object as PoolWorkload).spec.workloadTemplate;
      const { namespace = 'default' } = object.metadata;
      const child = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace, name },
        spec: deploymentTemplate?.spec,
      };
      const applied = await client.apply(deployments, child, dryRun);
      expect(applied.spec?.template.spec?.containers).toHaveLength(1);
    },
  );

  it.each(subsetWorkloads)(
    'hold a %s in the UnitedDeployment %s whose template has that kind',
    async (kind, name, spec) => {
      const resource = kind === 'Deployment' ? deployments : statefulSets;
      const child = { metadata: { namespace: 'default', name }, spec };
      const applied = await client.apply(resource as Resource<KubeObject>, child, dryRun);
      expect(applied).toMatchObject({
        spec: { template: { spec: { containers: [{ imagePullPolicy: 'IfNotPresent' }] } } },
      });
    },
  );

  it.each(objects.filter(([kind]) => kind === 'ExtendedDaemonSet'))(
    'hold an %s %s whose template is that of a pod',
    async (_kind, name, object) => {
      const { template } = (object as ExtendedDaemonSet).spec;
      const selector = { matchLabels: template.metadata?.labels ?? {} };
      const daemon = { metadata: { namespace: 'default', name }, spec: { selector, template } };
      const applied = await client.apply(daemonSets, daemon, dryRun);
      expect(applied.spec?.template.spec?.containers).toHaveLength(1);
    },
  );
});
