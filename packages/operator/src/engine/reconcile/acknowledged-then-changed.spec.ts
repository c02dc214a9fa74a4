import { expect, it } from 'vitest';
import { nodePools } from '@atoll/api';
import { nodes } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import { reconcileDeps } from '../engine.fixture.ts';
import { Refusals } from '../executor/answers/refusals.ts';
import { StatusPace } from '../status/status-pace.ts';
import { hz, memberOf, poolController } from './one-pool.fixture.ts';
import { runReconcile } from './run-reconcile.ts';

const noExecute = { key: 'drain', value: 'now', effect: 'NoExecute' } as const;

it('does nothing for a spec that was taken back while its status was acknowledged', async () => {
  const member = memberOf('n1');
  // Generation 2: somebody has put a NoExecute taint on the pool by mistake.
  let live = hz('20', 2, [noExecute], ['n1']);
  const { controller, cacheOf } = poolController(live, member);
  // Generation 3, a moment later: it is taken back. The watch has not shown it yet.
  const written: unknown[] = [];
  const client = {
    get: (resource: unknown) => Promise.resolve(resource === nodePools ? live : member),
    patch: (resource: unknown, _key: unknown, patch: { readonly body: unknown }) => {
      if (resource === nodePools && live.metadata.generation === 2) {
        live = hz('21', 3, [], ['n1']);
        return Promise.reject(refusalOf(409, 'patch', 'the object has been modified'));
      }
      if (resource === nodes) written.push(patch.body);
      return Promise.resolve(
        resource === nodePools
          ? { ...live, metadata: { ...live.metadata, resourceVersion: '30' } }
          : { ...member, metadata: { ...member.metadata, resourceVersion: '31' } },
      );
    },
  };
  const end = await runReconcile(controller, 'hz', {
    ...reconcileDeps({ client: client as never, cacheOf }),
    pace: new StatusPace(),
    refusals: new Refusals(),
    othersWait: () => true,
  });
  expect(end.end).toMatch(/done|retry/);
  expect(written).toEqual([]);
});
