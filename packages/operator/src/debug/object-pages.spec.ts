import { FakeClock, refusalOf } from '@atoll/kube/testing';
import { nodePools, unitedDeployments } from '@atoll/api';
import type { ApiError, KubeObject, ObjectKey, Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Controller } from '../engine/controller.ts';
import type { RefusedTrials } from '../engine/refused-trials.ts';
import { nothingToDo } from '../engine/plan.ts';
import { objectPages } from './object-pages.ts';

function controllerOf(resource: Resource<KubeObject>, there: string): Controller<never, never> {
  const controller = {
    name: `works-on-${resource.plural}`,
    resource,
    sources: [],
    observe: ({ name }: ObjectKey, refused?: RefusedTrials) =>
      name === there ? { seen: name, refused: [...(refused?.values() ?? [])] } : undefined,
    decide: ({ seen }: { readonly seen: string }) => seen,
    plan: () => ({
      ...nothingToDo,
      holds: [{ reason: 'Paused', waitsFor: 'person', bad: false, message: 'paused', count: 1, targets: [] }],
    }),
    report: () => [],
  };
  return controller as unknown as Controller<never, never>;
}

function refusal(message: string): ApiError {
  return refusalOf(403, 'create pods', message);
}

const [page] = objectPages({
  controllers: [controllerOf(nodePools, 'hz'), controllerOf(unitedDeployments, 'web')],
  isLeader: () => true,
  refusedTrials: ({ controller, key }) =>
    new Map([['a pod', { answer: refusal(`no to ${controller} for ${key}`) }]]),
  clock: new FakeClock(),
});
const get = (path: string) => page?.answer(path.split('/'), '');

describe('/debug/objects/', () => {
  it.each(['uniteddeployments/ns/web', 'UnitedDeployment/ns/web', 'uniteddeployments.apps.kruise.io/ns/web'])(
    'shows snapshot, plan and holds of %s',
    (path) => {
      const { code, body = '' } = get(path) ?? {};
      expect(code).toBe(200);
      expect(JSON.parse(body)).toEqual({
        at: '2026-01-01T00:00:00.000Z',
        leads: true,
        key: { namespace: 'ns', name: 'web' },
        views: [
          {
            controller: 'works-on-uniteddeployments',
            holds: [expect.objectContaining({ reason: 'Paused' })],
            plan: { stages: [], targets: [] },
            snapshot: {
              seen: 'web',
              refused: [{ answer: 'create pods: no to works-on-uniteddeployments for ns/web' }],
            },
          },
        ],
      });
    },
  );

  it('names an object without a namespace by its name', () => {
    expect(get('nodepools/hz')?.code).toBe(200);
  });

  it.each([
    ['secrets/ns/web', 'No controller works on "secrets" here: ask for nodepools, uniteddeployments.\n'],
    ['uniteddeployments/web', 'Ask for /debug/objects/uniteddeployments/<namespace>/<name>.\n'],
    ['nodepools/ns/hz', 'Ask for /debug/objects/nodepools/<name>.\n'],
    ['nodepools/', 'Ask for /debug/objects/nodepools/<name>.\n'],
    ['nodepools/bj', 'The cache has no nodepools bj.\n'],
  ])('answers %s with what to do', (path, body) => {
    expect(get(path)).toEqual({ code: 404, body });
  });
});
