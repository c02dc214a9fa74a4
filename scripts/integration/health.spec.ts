// What the tools of others make of our conditions: the code of kstatus (Flux, Helm) and of Lua as Argo CD runs it.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { obtainGoTool } from '@atoll/testbed';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../checks.ts';
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

interface Verdict {
  readonly kstatus: string;
  readonly argocd: string;
}

async function judge(objects: readonly object[]): Promise<readonly Verdict[]> {
  const child = spawn(program, [healthScript], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(objects));
  return JSON.parse(await text(child.stdout)) as readonly Verdict[];
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
    const verdicts = await judge(objects);
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

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The conditions of every state that `packages/operator/src/messages.txt` has of our kinds, as the operator writes them. */
function recordedStates(): readonly { readonly state: string; readonly conditions: readonly Condition[] }[] {
  const recorded = readFileSync(join(root, 'packages/operator/src/messages.txt'), 'utf8');
  const sections = recorded.split(/^# /m).filter((each) => ownKinds.test(each));
  return sections.flatMap((section) => {
    const [kind = '', ...blocks] = section.split(/\n\n+/);
    return blocks.map((block) => {
      const [state = '', ...lines] = block.split('\n');
      return { state: `${kind}: ${state}`, conditions: lines.flatMap(conditionsIn) };
    });
  });
}

const ownKinds = /^(?:NodePool|UnitedDaemonSet, YurtAppDaemon|UnitedDeployment|ExtendedDaemonSet)\n/;

/** Of `  Ready=True Degraded=False Done: all is well` both; none of a line of another form. */
function conditionsIn(line: string): readonly Condition[] {
  const [, pairs = '', reason = '', message = ''] = /^ {2}((?:\S+=\w+ )+)(\w+): ?(.*)$/.exec(line) ?? [];
  return [...pairs.matchAll(/(\S+)=(\w+) /g)].map(([, type = '', status = '']) => {
    return { type, status, reason, message };
  });
}

/** By the table of `docs/operating/gitops.md`. */
function asDocumented(conditions: readonly Condition[]): Verdict {
  const statusOf = (type: string) => conditions.find((each) => each.type === type)?.status;
  const isTrue = (type: string): boolean => statusOf(type) === 'True';
  if (isTrue('Stalled')) return { kstatus: 'Failed', argocd: 'Degraded' };
  const kstatus = isTrue('Ready') ? 'Current' : 'InProgress';
  if (isTrue('Degraded')) return { kstatus, argocd: 'Degraded' };
  if (isTrue('Paused')) return { kstatus, argocd: 'Suspended' };
  return { kstatus, argocd: isTrue('Ready') ? 'Healthy' : 'Progressing' };
}

it('every recorded state is judged as the documents say', async () => {
  const states = recordedStates().filter(({ conditions }) => conditions.some(({ type }) => type === 'Ready'));
  const objects = states.map(({ conditions }) => ({
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name: 'web', generation: 2 },
    status: { observedGeneration: 2, conditions },
  }));
  const verdicts = await judge(objects);
  const found = states.map(({ state }, index) => {
    const { kstatus, argocd } = verdicts[index] ?? {};
    return { state, kstatus, argocd };
  });
  expect(found).toEqual(states.map(({ state, conditions }) => ({ state, ...asDocumented(conditions) })));
  expect(new Set(found.map(({ argocd }) => argocd)).size).toBe(4);
  expect(states.length).toBeGreaterThan(100);
});
