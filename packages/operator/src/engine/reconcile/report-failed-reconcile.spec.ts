import { describe, expect, it } from 'vitest';
import { createMetrics, silentLogger, type KubeObject, type WriteThroughCache } from '@atoll/kube';
import { emptyCaches, ModelCache } from '../../../simulation/model/caches.ts';
import { ModelClient } from '../../../simulation/model/model-client.ts';
import { spreads, type Spread } from '../../../simulation/examples/one-child-per-pool.ts';
import { createEngineMetrics } from '../../engine-metrics.ts';
import { Announcer } from '../announce.ts';
import type { Controller } from '../controller.ts';
import { reconcileDeps } from '../engine.fixture.ts';
import { nothingToDo } from '../plan.ts';
import { runReportedReconcile } from './report-failed-reconcile.ts';
import type { PlannedEvent } from '../step.ts';

const key = { namespace: 'edge', name: 'web' };

/** A controller whose plan fails with the message while there is one. `status`: of its object. */
function rig(foreign?: true, status?: object) {
  const client = new ModelClient();
  const metadata = { ...key, generation: 1 };
  const cache = new ModelCache(spreads, { content: emptyCaches, unsynced: new Set<string>() });
  cache.wrote(
    client.put<Spread>(spreads, { metadata, spec: { version: 1 }, ...(status && { status }) } as Spread),
  );
  const cacheOf = () => cache as unknown as WriteThroughCache<KubeObject>;
  const recorded: PlannedEvent[] = [];
  const recordEvent = (event: PlannedEvent): number => recorded.push(event);
  const run = { fails: 'a field of an unforeseen shape' as string | undefined };
  const controller: Controller<object> = {
    name: 'spread',
    resource: spreads,
    ...(foreign === undefined ? {} : { foreign }),
    sources: [],
    observe: () => ({}),
    decide: () => undefined,
    plan: () => {
      if (run.fails !== undefined) throw new RangeError(run.fails);
      return nothingToDo;
    },
    report: () => [],
  };
  const clock = {
    now: () => Date.UTC(2026, 0, 1),
    monotonic: () => 0,
    processorMs: () => 0,
    setTimer: () => () => {},
  };
  const metrics = createMetrics({ processMetrics: false });
  const deps = {
    ...reconcileDeps({ client, cacheOf, clock, recordEvent }),
    announcer: new Announcer({ log: silentLogger, metrics: createEngineMetrics(metrics), recordEvent }),
  };
  const held = async (): Promise<readonly string[]> => {
    const text = await metrics.registry.metrics();
    return text.split('\n').filter((line) => /^atoll_(object_held|holds)\{/.test(line));
  };
  const reconcile = async (signal = deps.signal): Promise<unknown> =>
    runReportedReconcile(controller, 'edge/web', { ...deps, signal });
  const stored = () => client.stored(spreads, key) as { readonly status?: { readonly conditions?: object } };
  const conditions = () => stored().status?.conditions;
  return { client, run, recorded, reconcile, stored, conditions, held };
}

describe('a reconcile that fails', () => {
  it('shows in the conditions of its object and in an event, once, and is a failure all the same', async () => {
    const { client, recorded, reconcile, conditions } = rig();
    for (let round = 0; round < 3; round += 1) await expect(reconcile()).rejects.toThrow('unforeseen shape');
    const statement = {
      reason: 'ReconcileFailed',
      message: 'the reconcile failed: a field of an unforeseen shape',
    };
    expect(conditions()).toMatchObject([
      { type: 'Ready', status: 'False', ...statement },
      { type: 'Progressing', status: 'False', ...statement },
      { type: 'Degraded', status: 'False', ...statement },
    ]);
    expect(recorded).toMatchObject([{ type: 'Warning', reason: 'ReconcileFailed', note: statement.message }]);
    expect(client.sent).toHaveLength(1);
  });

  it('is no failure of the object where the process ends', async () => {
    const { client, recorded, reconcile } = rig();
    await expect(reconcile(AbortSignal.abort())).rejects.toThrow('unforeseen shape');
    expect({ recorded, sent: client.sent }).toEqual({ recorded: [], sent: [] });
  });

  it('keeps what the status shows otherwise, and since when something is wrong', async () => {
    const lastTransitionTime = '2025-12-31T00:00:00Z';
    const ready = { type: 'Ready', status: 'False', reason: 'RollingOut', message: '', lastTransitionTime };
    const { reconcile, stored } = rig(undefined, { pools: ['a'], conditions: [ready] });
    await expect(reconcile()).rejects.toThrow('unforeseen shape');
    expect(stored().status).toMatchObject({
      pools: ['a'],
      conditions: [
        { type: 'Ready', reason: 'ReconcileFailed', lastTransitionTime },
        { type: 'Progressing' },
        { type: 'Degraded', status: 'True', reason: 'ReconcileFailed' },
      ],
    });
  });

  it('shows in an event alone where the status is of others', async () => {
    const { client, recorded, reconcile } = rig(true);
    await expect(reconcile()).rejects.toThrow('unforeseen shape');
    expect(recorded).toMatchObject([{ type: 'Warning', reason: 'ReconcileFailed' }]);
    expect(client.sent).toEqual([]);
  });

  it.for([undefined, true] as const)('is shown in metrics until it does not fail', async (foreign) => {
    const { run, reconcile, held } = rig(foreign);
    for (let round = 0; round < 3; round += 1) await expect(reconcile()).rejects.toThrow('unforeseen shape');
    const failing = 'atoll_holds{controller="spread",reason="ReconcileFailed"}';
    const labels = 'controller="spread",namespace="edge",name="web",reason="ReconcileFailed",wrong="true"';
    expect(await held()).toEqual([`${failing} 1`, `atoll_object_held{${labels}} 1`]);
    run.fails = undefined;
    await reconcile();
    expect(await held()).toEqual([`${failing} 0`]);
    run.fails = 'another field';
    await expect(reconcile()).rejects.toThrow('another field');
    expect(await held()).toEqual([`${failing} 1`, `atoll_object_held{${labels}} 1`]);
  });

  it('and then does not is a reconcile like every other', async () => {
    const { client, run, reconcile } = rig();
    run.fails = undefined;
    expect(await reconcile()).toEqual({ end: 'done' });
    expect(client.sent).toEqual([]);
  });
});
