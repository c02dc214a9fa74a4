import { readFileSync } from 'node:fs';
import { ApiError, configMaps, deployments, nodes, pods, type StreamingClient } from '@atoll/kube';
import { startControlPlane, type ControlPlane } from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from './connect.ts';

const patience = { timeout: 90_000, interval: 50 };

/** Short leases, so that a lost node is noticed within seconds. */
describe('a control plane of two failure domains', () => {
  let controlPlane: ControlPlane;
  let client: StreamingClient;
  beforeAll(async () => {
    controlPlane = await startControlPlane({
      fleet: { pools: ['east', 'west'], nodesPerPool: 2 },
      kwokDomains: { east: 'apps.openyurt.io/nodepool=east', west: 'apps.openyurt.io/nodepool=west' },
      nodeLeaseSeconds: 4,
      nodeMonitorGraceSeconds: 6,
      controllerManagerFlags: { 'node-monitor-period': '500ms' },
      audit: true,
    });
    client = await connect(controlPlane.kubeconfig);
    await controlPlane.nodesReady();
  });
  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  async function readiness(): Promise<Record<string, string>> {
    const { items } = await client.list(nodes);
    return Object.fromEntries(
      items.map(({ metadata, status }) => [
        metadata.name,
        status?.conditions?.find((condition) => condition.type === 'Ready')?.status ?? 'absent',
      ]),
    );
  }

  const allReady = {
    'east-node-1': 'True',
    'east-node-2': 'True',
    'west-node-1': 'True',
    'west-node-2': 'True',
  };

  it('loses one domain when it is cut off, and gets it back', async () => {
    await client.create(pods, {
      metadata: { namespace: 'default', name: 'on-west' },
      spec: { nodeName: 'west-node-1', containers: [{ name: 'main', image: 'web:v1' }] },
    });
    await vi.waitFor(async () => {
      const pod = await client.get(pods, { namespace: 'default', name: 'on-west' });
      expect(pod.status?.phase).toBe('Running');
    }, patience);

    await controlPlane.cutDomain('west');
    await vi.waitFor(async () => {
      expect(await readiness()).toEqual({ ...allReady, 'west-node-1': 'Unknown', 'west-node-2': 'Unknown' });
    }, patience);
    // Nobody is there to end the pod.
    await client.delete(pods, { namespace: 'default', name: 'on-west' });
    const pod = await client.get(pods, { namespace: 'default', name: 'on-west' });
    expect(pod.metadata.deletionTimestamp).toBeDefined();

    await controlPlane.restoreDomain('west');
    await vi.waitFor(async () => expect(await readiness()).toEqual(allReady), patience);
    await vi.waitFor(async () => {
      await expect(client.get(pods, { namespace: 'default', name: 'on-west' })).rejects.toThrow('not found');
    }, patience);
  });

  it('has nodes that report a failure themselves', async () => {
    await controlPlane.reportNodes(['east-node-1'], 'NotReady');
    await vi.waitFor(
      async () => expect(await readiness()).toEqual({ ...allReady, 'east-node-1': 'False' }),
      patience,
    );
    await controlPlane.reportNodes(['east-node-1'], 'Ready');
    await vi.waitFor(async () => expect(await readiness()).toEqual(allReady), patience);
  });

  it('gains, labels and loses nodes', async () => {
    const added = await controlPlane.addNodes({ pools: ['east'], nodes: 1 });
    expect(added).toEqual(['east-node-3']);
    await controlPlane.nodesReady();
    await controlPlane.labelNodes(added, { tier: 'gold', 'kubernetes.io/arch': null });
    const node = await client.get(nodes, { name: 'east-node-3' });
    expect(node.metadata.labels).toMatchObject({ tier: 'gold', 'kubernetes.io/os': 'linux' });
    expect(node.metadata.labels).not.toHaveProperty('kubernetes.io/arch');
    await controlPlane.removeNodes(added);
    expect(Object.keys(await readiness())).not.toContain('east-node-3');
  });

  it('keeps its data when the API server and etcd are killed and started again', async () => {
    await client.create(configMaps, { metadata: { namespace: 'default', name: 'kept' }, data: { a: 'b' } });
    const server = controlPlane.component('kube-apiserver');
    const before = server.pid;
    await server.kill();
    expect(server.pid).toBeUndefined();
    await controlPlane.component('etcd').restart();
    await server.restart();
    expect(server.pid).not.toBe(before);
    const kept = await client.get(configMaps, { namespace: 'default', name: 'kept' });
    expect(kept.data).toEqual({ a: 'b' });
  });

  it('makes no pods while its controller manager is paused', async () => {
    const manager = controlPlane.component('kube-controller-manager');
    await manager.pause();
    const labels = { app: 'later' };
    await client.create(deployments, {
      metadata: { namespace: 'default', name: 'later' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:v1' }] } },
      },
    });
    const { status } = await client.get(deployments, { namespace: 'default', name: 'later' });
    expect(status?.observedGeneration).toBeUndefined();
    await manager.resume();
    await vi.waitFor(async () => {
      const later = await client.get(deployments, { namespace: 'default', name: 'later' });
      expect(later.status?.availableReplicas).toBe(1);
    }, patience);
  });

  it('gives a ServiceAccount its own identity, without rights it was not given', async () => {
    const file = await controlPlane.kubeconfigFor({ namespace: 'operators', name: 'atoll' });
    await using own = await connect(file);
    const refused = own.list(nodes);
    await expect(refused).rejects.toThrow('system:serviceaccount:operators:atoll');
    await expect(refused).rejects.toBeInstanceOf(ApiError);
  });

  it('writes down who wrote what', async () => {
    await client.create(configMaps, { metadata: { namespace: 'default', name: 'audited' } });
    const log = controlPlane.auditLog;
    if (log === undefined) throw new Error('the control plane has no audit log');
    await vi.waitFor(() => {
      const entries = readFileSync(log, 'utf8').trim().split('\n');
      const mine = entries.find(
        (line) => line.includes('"verb":"create"') && line.includes('"name":"audited"'),
      );
      expect(JSON.parse(mine ?? '{}')).toMatchObject({ user: { username: 'administrator' } });
    }, patience);
  });

  it('names the components it has when asked for another', () => {
    expect(() => controlPlane.component('kubelet')).toThrow(
      'no component kubelet, only etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok-east, kwok-west',
    );
  });
});
