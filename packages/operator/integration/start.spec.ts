// The operator starts while the API server is not at its best: what may pass never ends the process.
import { readFile } from 'node:fs/promises';
import {
  runOperator,
  startControlPlane,
  startFaultProxy,
  type ControlPlane,
  type FaultProxy,
  type Injection,
  type RunningOperator,
} from '@atoll/testbed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedStore } from './set-up/installed-store.ts';
import { operatorAccount, operatorScript } from './set-up/operator-control-plane.ts';
import { seeded, seedOf } from './set-up/random.ts';
import { eventually } from './set-up/standing.ts';

let controlPlane: ControlPlane;
let proxy: FaultProxy;
/** The operator's own, straight to the API server. */
let kubeconfig: string;

beforeAll(async () => {
  controlPlane = await startControlPlane({ components: [], store: await installedStore() });
  proxy = await startFaultProxy({ target: controlPlane, directory: controlPlane.directory });
  kubeconfig = await controlPlane.kubeconfigFor(operatorAccount);
});

afterAll(async () => {
  await proxy?.close();
  await controlPlane?.stop();
});

/** Of every hundred requests, five are answered 429, five 500, and five lose their connection, most of them after the effect. */
function injectFlakiness(): readonly Injection[] {
  const random = seeded(seedOf(process.env['ATOLL_SEED'] ?? '15'));
  const where = (): boolean => random() < 0.05;
  // A watch that is carried out before its connection is reset would not be reset as long as it is open.
  const reset = { do: 'crash', when: 'before-forwarding', call: () => undefined } as const;
  return [
    proxy.inject({ where }, { do: 'refuse', code: 429, retryAfterSeconds: 1 }),
    proxy.inject({ where }, { do: 'refuse', code: 500 }),
    proxy.inject({ verb: 'watch', where }, reset),
    proxy.inject({ where: (request) => request.verb !== 'watch' && where() }, { do: 'lose-response' }),
  ];
}

async function isReady(operator: RunningOperator): Promise<void> {
  const { ok, text } = await fetch(`${operator.url}/readyz?verbose`).then(
    async (answer) => ({ ok: answer.ok, text: await answer.text() }),
    (error: unknown) => ({ ok: false, text: String(error) }),
  );
  expect(ok, `${text}\n${operator.lastWords()}`).toBe(true);
}

async function startOperator(through: string): Promise<RunningOperator> {
  return runOperator(controlPlane, { script: operatorScript, account: operatorAccount, kubeconfig: through });
}

interface Line {
  readonly msg: string;
  readonly why?: string;
}

/** What the operators of this name logged, one after the other. */
async function linesOf(operator: Pick<RunningOperator, 'logFile'>): Promise<readonly Line[]> {
  const text = await readFile(operator.logFile, 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as Line);
}

async function endsInPeace(operator: RunningOperator): Promise<void> {
  await operator.kill('SIGTERM');
  expect(operator.lastExit).toEqual({ code: 0, signal: null });
}

/** Each time that it said that it waits, and why. */
function waits(lines: readonly Line[]): readonly string[] {
  return lines.filter(({ msg }) => msg === 'cannot start yet, trying again').map(({ why = '' }) => why);
}

describe('a start', { timeout: 300_000 }, () => {
  it('under flaky answers comes up in one process', async () => {
    const faults = injectFlakiness();
    const begun = performance.now();
    const operator = await startOperator(await proxy.kubeconfigFrom(kubeconfig));
    const { pid } = operator;
    await eventually(async () => isReady(operator), 120_000);
    console.log(`ready after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    expect(operator.pid).toBe(pid);
    expect(faults.flatMap(({ taken }) => taken).length).toBeGreaterThan(5);
    for (const fault of faults) fault.remove();
    await endsInPeace(operator);
  });

  it('goes on when the API server comes up, and logs once that nobody listens', async () => {
    const api = controlPlane.component('kube-apiserver');
    await api.kill();
    const before = (await linesOf(controlPlane.component('operator'))).length;
    const operator = await startOperator(kubeconfig);
    const { pid } = operator;
    const said = async (): Promise<readonly string[]> => waits((await linesOf(operator)).slice(before));
    await eventually(async () => expect(await said()).not.toEqual([]));
    await api.restart();
    await eventually(async () => isReady(operator), 120_000);
    expect(operator.pid).toBe(pid);
    expect((await said()).filter((why) => why.includes('ECONNREFUSED'))).toHaveLength(1);
    await endsInPeace(operator);
  });

  it('that waits ends when it is asked to', async () => {
    proxy.freeze();
    const operator = await startOperator(await proxy.kubeconfigFrom(kubeconfig));
    await operator.kill('SIGTERM');
    expect(operator.lastExit).toEqual({ code: 0, signal: null });
    proxy.heal();
  });
});
