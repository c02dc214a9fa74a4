// What the tools of others make of our conditions: the code of kstatus (Flux, Helm) and of Lua as Argo CD runs it.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { obtainGoTool } from '@atoll/testbed';
import { beforeAll, describe, expect, it } from 'vitest';
import { healthScript } from '../generate/argocd.ts';
import { goTools } from '../go-tools.ts';

type Status = 'True' | 'False' | 'Unknown';

interface State {
  readonly state: string;
  readonly conditions: Readonly<Record<string, Status>>;
  /** Where the status is of an older spec. */
  readonly observed?: number;
  readonly kstatus: string;
  readonly argocd: string;
}

/** `reference/conditions.md`. */
const states: readonly State[] = [
  {
    state: 'done',
    conditions: { Ready: 'True', Progressing: 'False', Degraded: 'False' },
    kstatus: 'Current',
    argocd: 'Healthy',
  },
  {
    state: 'moving',
    conditions: { Ready: 'False', Progressing: 'True', Degraded: 'False' },
    kstatus: 'InProgress',
    argocd: 'Progressing',
  },
  {
    state: 'paused by a person',
    conditions: { Ready: 'False', Progressing: 'False', Degraded: 'False', Paused: 'True' },
    kstatus: 'InProgress',
    argocd: 'Suspended',
  },
  {
    state: 'moving, with a problem',
    conditions: { Ready: 'False', Progressing: 'True', Degraded: 'True' },
    kstatus: 'InProgress',
    argocd: 'Degraded',
  },
  {
    state: 'cannot go on without a change',
    conditions: { Ready: 'False', Progressing: 'False', Degraded: 'True', Stalled: 'True' },
    kstatus: 'Failed',
    argocd: 'Degraded',
  },
  {
    state: 'not yet seen',
    conditions: { Ready: 'Unknown', Progressing: 'Unknown', Degraded: 'Unknown' },
    kstatus: 'InProgress',
    argocd: 'Progressing',
  },
  {
    state: 'a newer spec that was not seen yet',
    conditions: { Ready: 'True', Progressing: 'False', Degraded: 'False' },
    observed: 1,
    kstatus: 'InProgress',
    argocd: 'Progressing',
  },
];

const kinds = [
  ['apps.openyurt.io/v1beta2', 'NodePool'],
  ['apps.openyurt.io/v1alpha1', 'YurtAppDaemon'],
  ['apps.kruise.io/v1beta1', 'UnitedDeployment'],
  ['datadoghq.com/v1alpha1', 'ExtendedDaemonSet'],
  ['datadoghq.com/v1alpha1', 'ExtendedDaemonsetSetting'],
] as const;

let program: string;

beforeAll(async () => {
  program = await obtainGoTool(goTools.health);
}, 1_800_000);

async function judge(objects: readonly object[]): Promise<unknown> {
  const child = spawn(program, [healthScript], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(objects));
  return JSON.parse(await text(child.stdout));
}

describe.each(kinds)('%s %s', (apiVersion, kind) => {
  it('is judged as its conditions say', async () => {
    const objects = states.map(({ conditions, observed = 2 }) => ({
      apiVersion,
      kind,
      metadata: { name: 'web', namespace: 'default', generation: 2 },
      status: {
        observedGeneration: observed,
        conditions: Object.entries(conditions).map(([type, status]) => ({
          type,
          status,
          reason: 'R',
          message: 'M',
        })),
      },
    }));
    const verdicts = (await judge(objects)) as readonly { kstatus: string; argocd: string }[];
    const found = verdicts.map(({ kstatus, argocd }, index) => ({
      state: states[index]?.state,
      kstatus,
      argocd,
    }));
    expect(found).toEqual(states.map(({ state, kstatus, argocd }) => ({ state, kstatus, argocd })));
  });

  it('is not taken for finished before the operator has seen it', async () => {
    const object = { apiVersion, kind, metadata: { name: 'web', generation: 1 } };
    expect(await judge([object])).toMatchObject([{ argocd: 'Progressing' }]);
  });
});
