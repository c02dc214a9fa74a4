import { expect, it } from 'vitest';
import { systemClock } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { ModelClient } from '../../../simulation/model/model-client.ts';
import { createSpreadController, spreads } from '../../../simulation/examples/one-child-per-pool.ts';
import { oneSpread } from '../../../simulation/examples/one-spread.ts';
import { reconcileDeps } from '../engine.fixture.ts';
import { Refusals } from '../executor/answers/refusals.ts';
import { runReconcile } from '../reconcile/run-reconcile.ts';

/** A quota refuses; the user changes the spec; meanwhile other keys wait for a worker, or not. */
async function changedSpecIsSent(othersWait: boolean): Promise<number> {
  const client = new ModelClient();
  const { readers, cacheOf } = oneSpread(client, ['a']);
  let monotonic = 0;
  const clock = {
    now: () => Date.UTC(2026, 0, 1) + monotonic,
    monotonic: () => monotonic,
    processorMs: () => systemClock.processorMs(),
    setTimer: () => () => {},
  };
  const refusals = new Refusals();
  const deps = { ...reconcileDeps({ client, cacheOf, clock }), refusals };
  const controller = createSpreadController(readers);
  const reconcile = (waits: boolean) =>
    runReconcile(controller, 'edge/web', { ...deps, othersWait: () => waits });
  const message = 'no image';
  client.mishap = (request) => ('object' in request ? refusalOf(422, 'create', message) : undefined);
  // Refused, and again, so that the next retry is ten seconds away.
  await reconcile(false);
  monotonic += 1_001;
  await reconcile(false);
  monotonic += 100;
  // The user corrects the spec.
  client.mishap = () => undefined;
  const { status } = client.stored(spreads, { namespace: 'edge', name: 'web' }) as {
    readonly status?: object;
  };
  expect(status).toBeDefined();
  await client.patch(
    spreads,
    { namespace: 'edge', name: 'web' },
    { type: 'merge', body: { spec: { version: 2 } } },
  );
  readers.spreads.wrote(client.stored(spreads, { namespace: 'edge', name: 'web' }));
  refusals.changed('edge/web');
  client.sent.length = 0;
  await reconcile(othersWait);
  monotonic += 10;
  await reconcile(false);
  return client.sent.filter(({ verb }) => verb === 'create-by-apply').length;
}

it('sends what was refused at once when the spec changed', async () => {
  expect(await changedSpecIsSent(false)).toBe(1);
});

it('sends what was refused at once when the spec changed, also where its status is acknowledged first', async () => {
  expect(await changedSpecIsSent(true)).toBe(1);
});
