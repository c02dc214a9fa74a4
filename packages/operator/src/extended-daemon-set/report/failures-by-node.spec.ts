import { ApiError, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import type { Step, StepResult } from '../../engine/step.ts';
import { noneUnwanted } from '../rolling/deleted-unwanted.ts';
import type { RolledFleet } from '../rolling/roll-fleet.ts';
import { failuresByNode } from './failures-by-node.ts';

function answer(message: string, code = 403): ApiError {
  const reason = code === 403 ? 'Forbidden' : 'ServiceUnavailable';
  return new ApiError({ fate: 'refused', code, reason, attempted: 'create pods', message });
}

function tried(trial: string, target: string, error: ApiError): StepResult {
  const object = { metadata: { namespace: 'edge', name: target } };
  const why = { word: 'PodTried', message: 'it is tried' } as const;
  return { step: { do: 'try', resource: pods, object, trial, target, why }, did: 'failed', error };
}

function deletionFailed(target: string): StepResult {
  const step: Step = {
    do: 'delete',
    resource: pods,
    key: { namespace: 'edge', name: target },
    uid: 'uid',
    propagation: 'Background',
    target,
    ifRefused: 'PodRefused',
    why: { word: 'PodUnwanted', message: 'it is to go' },
  };
  return { step, did: 'failed', error: answer('no') };
}

/** By trial, the nodes whose pod stays. */
function rolling(stay: Readonly<Record<string, readonly string[]>>): RolledFleet['active'] {
  const refused = Object.entries(stay).flatMap(([trial, nodes]) =>
    nodes.map((id) => ({ node: { target: { id } }, trial, answer: answer(`${trial} is too large`) })),
  );
  return { refused, undeleted: [], unmade: [] } as unknown as RolledFleet['active'];
}

function reported(results: readonly StepResult[], fleet: Partial<RolledFleet>) {
  const failures = failuresByNode(
    { results },
    {
      active: undefined,
      canary: undefined,
      unwanted: noneUnwanted,
      ...fleet,
    },
  );
  return failures.map(({ target, error, reason, stalls }) => [target, error.message, reason, stalls]);
}

const refused = (target: string, trial: string) =>
  [target, `create pods: ${trial} is too large`, 'ChildRefused', 'if-it-lasts'] as const;

describe('a trial that was refused', () => {
  it('is a failure of each node whose pod stays, of the canary and of the active replica set, in their order', () => {
    const results = [tried('x', 'c', answer('x is too large')), tried('y', 'a', answer('y is too large'))];
    const fleet = { canary: rolling({ x: ['c', 'b'] }), active: rolling({ y: ['d', 'a'] }) };
    const expected = [refused('b', 'x'), refused('c', 'x'), refused('a', 'y'), refused('d', 'y')];
    expect(reported(results, fleet)).toEqual(expected);
  });

  it('is one too where others are tried now, and all come in the order of the nodes, before other failures', () => {
    const results = [deletionFailed('z'), tried('y', 'b', answer('y is too large'))];
    const found = reported(results, { active: rolling({ x: ['c', 'a'], y: ['d', 'b'] }) });
    expect(found.map(([target]) => target)).toEqual(['a', 'b', 'c', 'd', 'z']);
    expect(found.slice(0, 2)).toEqual([refused('a', 'x'), refused('b', 'y')]);
    expect(found.at(-1)).toEqual(['z', 'create pods: no', 'PodRefused', 'if-it-lasts']);
  });

  it('stays one where the server has no time for those that are tried now', () => {
    const results = [tried('y', 'b', answer('later', 503))];
    expect(reported(results, { active: rolling({ x: ['a'] }) })).toEqual([
      refused('a', 'x'),
      ['b', 'create pods: later', expect.any(String), 'never'],
    ]);
  });
});

describe('a deletion that was refused', () => {
  const undeleted = ['c', 'a', 'b'].map((id) => ({
    node: { target: { id } },
    trial: `deletion of ${id}`,
    answer: answer(`${id} is guarded`),
  }));
  const active = { refused: [], undeleted, unmade: [] } as unknown as RolledFleet['active'];
  const again = (target: string): StepResult['step'] => {
    const { step } = deletionFailed(target);
    return step.do === 'delete' ? { ...step, trial: `deletion of ${target}`, isRetry: true } : step;
  };
  const guarded = (target: string) => [
    target,
    `create pods: ${target} is guarded`,
    'PodRefused',
    'if-it-lasts',
  ];

  it('is a failure where it is not asked for now, or is skipped, and all come in the order of the nodes', () => {
    const step = again('b');
    const other = ['b', 'create pods: no', 'PodRefused', 'if-it-lasts'];
    expect(reported([], { active })).toEqual([guarded('a'), guarded('b'), guarded('c')]);
    const skipped = { step, did: 'skipped', because: 'earlier-stage-failed' } as const;
    expect(reported([skipped], { active })).toEqual([guarded('a'), guarded('b'), guarded('c')]);
    const failed = { step, did: 'failed', error: answer('no') } as const;
    expect(reported([failed], { active })).toEqual([guarded('a'), other, guarded('c')]);
  });

  it('is none where the pod was deleted now', () => {
    expect(reported([{ step: again('b'), did: 'done' }], { active })).toEqual([guarded('a'), guarded('c')]);
  });
});

it('other failures are reported as they are', () => {
  expect(
    reported([deletionFailed('z')], { active: rolling({ x: ['a'] }) }).map(([target]) => target),
  ).toEqual(['z']);
});
