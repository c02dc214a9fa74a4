// The scale subresource: kubectl, and the real HorizontalPodAutoscaler with metrics that a test makes up.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { unitedDeployments } from '@atoll/api';
import {
  customResourceDefinitions,
  horizontalPodAutoscalers,
  servesResource,
  type KubeObject,
  type Resource,
  type StreamingClient,
} from '@atoll/kube';
import { obtainBinaries, type Recording } from '@atoll/testbed';
import { beforeAll, describe, expect, it } from 'vitest';
import { apply } from '../set-up/objects.ts';
import { childrenOf, inZone, namespace, podsOf, replicasOf, united } from './objects.ts';
import { eventually, isReady } from './standing.ts';
import { sumsBetween } from './sums-between.ts';

const two = [inZone('a', 'zone-a'), inZone('b', 'zone-b')];

interface PodMetrics extends KubeObject {
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly object[];
}

/** What a metrics server serves, kept as ordinary objects, so that a test sets how busy pods are. */
const podMetrics: Resource<PodMetrics> = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  namespaced: true,
};

export function scaling(
  client: () => StreamingClient,
  kubeconfig: () => string,
  recording: () => Recording,
): void {
  describe('kubectl scale', () => {
    it('scales over all subsets, and shows the columns that scripts know', async () => {
      const name = 'by-hand';
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets: two }));
      await isReady(client(), name);
      await kubectl('scale', `ud/${name}`, '--replicas=5');
      await isReady(client(), name);
      expect(await replicasOf(client(), name)).toEqual({ a: 2, b: 3 });
      const [header = '', row = ''] = (await kubectl('get', 'ud', name)).split('\n');
      expect(header.split(/\s+/)).toEqual(['NAME', 'DESIRED', 'CURRENT', 'UPDATED', 'READY', 'AGE']);
      expect(row.split(/\s+/).slice(0, 5)).toEqual([name, '5', '5', '5', '5']);
    });

    it('works also where replicas was left out', async () => {
      const name = 'left-out';
      await apply(client(), unitedDeployments, united({ name, subsets: two }));
      await isReady(client(), name);
      expect(await podsOf(client(), name)).toHaveLength(1);
      await kubectl('scale', `ud/${name}`, '--replicas=3');
      await isReady(client(), name);
      expect(await podsOf(client(), name)).toHaveLength(3);
    });

    it('never leaves what lies between the old total and the new one, where replicas move between subsets', async () => {
      const name = 'shares';
      const fifth = { replicas: '20%' };
      const subsets = [inZone('a', 'zone-a'), inZone('b', 'zone-b', fifth), inZone('c', 'zone-c', fifth)];
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets }));
      await isReady(client(), name);
      expect(await replicasOf(client(), name)).toEqual({ a: 2, b: 0, c: 0 });
      const steps = [
        { total: 3, wanted: { a: 1, b: 1, c: 1 } },
        { total: 2, wanted: { a: 2, b: 0, c: 0 } },
        { total: 8, wanted: { a: 4, b: 2, c: 2 } },
        { total: 7, wanted: { a: 5, b: 1, c: 1 } },
      ];
      for (const { total, wanted } of steps) {
        await client().scale(unitedDeployments, { namespace, name }, total);
        await isReady(client(), name);
        expect(await replicasOf(client(), name)).toEqual(wanted);
      }
      const problems = sumsBetween(['deployments.apps'])(await recording().history());
      expect(problems.filter(({ message }) => message.startsWith(`${name}:`))).toEqual([]);
    });

    it('of a child sets it back to its own number, and the other subsets keep theirs', async () => {
      const name = 'child-by-hand';
      const subsets = [...two, inZone('c', 'zone-c')];
      await apply(client(), unitedDeployments, united({ name, replicas: 8, subsets }));
      await isReady(client(), name);
      const wanted = { a: 2, b: 3, c: 3 };
      expect(await replicasOf(client(), name)).toEqual(wanted);
      const child = (await childrenOf(client(), name)).get('b')?.metadata.name;
      for (const replicas of [0, 7]) {
        await kubectl('scale', `deployment/${child}`, `--replicas=${replicas}`);
        await eventually(async () => expect(await replicasOf(client(), name)).toEqual(wanted));
        await isReady(client(), name);
        expect(await replicasOf(client(), name)).toEqual(wanted);
      }
    });

    async function kubectl(...args: readonly string[]): Promise<string> {
      const { kubectl: binary } = await obtainBinaries();
      const { stdout } = await promisify(execFile)(binary, [
        '--kubeconfig',
        kubeconfig(),
        '-n',
        namespace,
        ...args,
      ]);
      return stdout;
    }
  });

  describe('a HorizontalPodAutoscaler', () => {
    beforeAll(async () => serveMetrics(client()));

    it('scales by what the pods use, through selector and number of the scale subresource, up and down', async () => {
      const name = 'autoscaled';
      const pods = {
        containers: [{ name: 'web', image: 'nginx:1.27', resources: { requests: { cpu: '100m' } } }],
      };
      await apply(client(), unitedDeployments, united({ name, replicas: 2, subsets: two, pods }));
      await isReady(client(), name);
      const { status } = await client().getScale(unitedDeployments, { namespace, name });
      expect(status).toEqual({ replicas: 2, selector: `app=${name}` });
      await client().create(horizontalPodAutoscalers, {
        metadata: { namespace, name },
        spec: {
          scaleTargetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'UnitedDeployment', name },
          minReplicas: 2,
          maxReplicas: 6,
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
            },
          ],
        },
      });
      // Work for four pods, which they share: it comes to four also where the loop has looked at a moment between.
      await eventually(async () => {
        const running = await podsOf(client(), name);
        await use(name, Math.floor(200 / running.length));
        expect(await replicasOf(client(), name)).toEqual({ a: 2, b: 2 });
      });
      await isReady(client(), name);
      await eventually(async () => {
        await use(name, 5);
        expect(await replicasOf(client(), name)).toEqual({ a: 1, b: 1 });
      });
      await isReady(client(), name);
    });

    it('raises to its minimum, where replicas was left out', async () => {
      const name = 'autoscaled-left-out';
      await apply(client(), unitedDeployments, united({ name, subsets: two }));
      await isReady(client(), name);
      await client().create(horizontalPodAutoscalers, {
        metadata: { namespace, name },
        spec: {
          scaleTargetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'UnitedDeployment', name },
          minReplicas: 4,
          maxReplicas: 5,
        },
      });
      await eventually(async () => expect(await replicasOf(client(), name)).toEqual({ a: 2, b: 2 }));
    });

    /** Says of every pod that it uses so many millicores now. */
    async function use(name: string, millicores: number): Promise<void> {
      for (const { metadata } of await podsOf(client(), name)) {
        const usage = { cpu: `${millicores}m`, memory: '1Mi' };
        const measured: PodMetrics = {
          metadata: { namespace, name: metadata.name, labels: metadata.labels ?? {} },
          timestamp: new Date().toISOString(),
          window: '1s',
          containers: [{ name: 'web', usage }],
        };
        await client().apply(podMetrics, measured, { fieldManager: 'spec', force: true });
      }
    }
  });
}

async function serveMetrics(client: StreamingClient): Promise<void> {
  const { group, version, kind, plural } = podMetrics;
  const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await client.create(customResourceDefinitions, {
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, stands in for a metrics server in a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: 'podmetrics', listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: free } }],
    },
  });
  await eventually(async () => expect(await servesResource(client, podMetrics)).toBe(true));
}
