import { createMetrics, silentLogger } from '@atoll/kube';
import { expect, it } from 'vitest';
import { createEngineMetrics } from './engine-metrics.ts';
import { Announcer } from './engine/announce.ts';
import { hold } from './engine/hold.ts';

it('names each object that is held, with the reason, until it is held no more', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const announcer = new Announcer({
    log: silentLogger,
    metrics: createEngineMetrics(metrics),
    recordEvent: () => undefined,
  });
  const about = {
    controller: 'yurt-app-daemon',
    key: 'ns/web',
    subject: { apiVersion: 'v1', kind: 'Web', namespace: 'ns', name: 'web', uid: 'u' },
  };
  const lines = async (): Promise<readonly string[]> => {
    const text = await metrics.registry.getSingleMetricAsString('atoll_object_held');
    return text.split('\n').filter((line) => line.startsWith('atoll_object_held{'));
  };
  const labels = 'controller="yurt-app-daemon",namespace="ns",name="web"';
  announcer.holds(about, [
    hold('QuotaExceeded', 'quota', ['hz'], { problem: 'exceeded quota: small' }, true),
    hold('WaitingForReady', 'health', ['bj'], { waitingUntil: 'the pods are available' }, false),
  ]);
  expect(await lines()).toEqual([
    `atoll_object_held{${labels},reason="QuotaExceeded",wrong="true"} 1`,
    `atoll_object_held{${labels},reason="WaitingForReady",wrong="false"} 1`,
  ]);
  announcer.holds(about, []);
  expect(await lines()).toEqual([]);
  announcer.holds(about, [hold('Paused', 'person', ['hz'], { problem: 'paused' }, false)]);
  announcer.forget(about);
  expect(await lines()).toEqual([]);
});
