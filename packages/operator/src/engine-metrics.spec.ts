import { createMetrics, deployments, silentLogger } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { expect, it } from 'vitest';
import { createEngineMetrics } from './engine-metrics.ts';
import { Announcer } from './engine/announce.ts';
import { hold } from './engine/hold.ts';
import type { Step } from './engine/step.ts';

const about = {
  controller: 'yurt-app-daemon',
  key: 'ns/web',
  subject: { apiVersion: 'v1', kind: 'Web', namespace: 'ns', name: 'web', uid: 'u' },
};
const labels = 'controller="yurt-app-daemon",namespace="ns",name="web"';

function rig() {
  const metrics = createMetrics({ processMetrics: false });
  const announcer = new Announcer({
    log: silentLogger,
    metrics: createEngineMetrics(metrics),
    recordEvent: () => undefined,
  });
  const linesOf = async (name: string): Promise<readonly string[]> => {
    const text = await metrics.registry.getSingleMetricAsString(name);
    return text.split('\n').filter((line) => line.startsWith(`${name}{`));
  };
  return { announcer, linesOf, lines: () => linesOf('atoll_object_held') };
}

it('names each object that is held, with the reason, until it is held no more', async () => {
  const { announcer, lines } = rig();
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

it('names an object whose child the API server refuses, and counts it, until the child is taken', async () => {
  const { announcer, lines, linesOf } = rig();
  const step: Step = {
    do: 'create',
    resource: deployments,
    object: { metadata: { namespace: 'ns', name: 'web-hz' } },
    managed: 'apply',
    target: 'hz',
    why: { word: 'ChildCreated', message: 'pool hz is selected and has no Deployment' },
  };
  const error = refusalOf(403, 'create', 'exceeded quota: small');
  const waits = hold('WaitingForReady', 'health', ['bj'], { waitingUntil: 'the pods are available' }, false);
  const refused = { step, did: 'failed', error } as const;
  for (const result of [refused, { ...refused, heldBack: true } as const]) {
    announcer.outcome(about, { results: [result] });
    announcer.holds(about, [waits]);
    expect(await lines()).toEqual([
      `atoll_object_held{${labels},reason="ChildRefused",wrong="true"} 1`,
      `atoll_object_held{${labels},reason="WaitingForReady",wrong="false"} 1`,
    ]);
  }
  const countOf = 'atoll_holds{controller="yurt-app-daemon",reason="ChildRefused"}';
  expect(await linesOf('atoll_holds')).toContain(`${countOf} 1`);
  announcer.outcome(about, { results: [{ step, did: 'done' }] });
  announcer.holds(about, []);
  expect(await lines()).toEqual([]);
  expect(await linesOf('atoll_holds')).toContain(`${countOf} 0`);
});

it('counts an object once for a reason that is a hold and a refusal, as something that is wrong', async () => {
  const { announcer, lines, linesOf } = rig();
  const step: Step = {
    do: 'try',
    resource: deployments,
    object: { metadata: { namespace: 'ns', name: 'web-hz' } },
    trial: 'web',
    target: 'hz',
    why: { word: 'PodTried', message: 'before it is replaced' },
  };
  const error = refusalOf(403, 'create', 'denied by policy');
  const stays = hold('ChildRefused', 'person', ['hz'], { problem: 'denied by policy' }, false);
  announcer.outcome(about, { results: [{ step, did: 'failed', error }] }, ['web']);
  announcer.holds(about, [stays]);
  // Another one is tried meanwhile.
  announcer.outcome(about, { results: [] }, ['web']);
  announcer.holds(about, [stays]);
  expect(await lines()).toEqual([`atoll_object_held{${labels},reason="ChildRefused",wrong="true"} 1`]);
  const countOf = 'atoll_holds{controller="yurt-app-daemon",reason="ChildRefused"}';
  expect(await linesOf('atoll_holds')).toEqual([`${countOf} 1`]);
  announcer.forget(about);
  expect(await lines()).toEqual([]);
  expect(await linesOf('atoll_holds')).toEqual([`${countOf} 0`]);
});
