import { deployments, silentLogger, type Logger } from '@atoll/kube';
import { expect, test } from 'vitest';
import { Announcer } from './announce.ts';
import type { Step, StepResult } from './step.ts';

const about = {
  controller: 'yurt-app-daemon',
  key: 'ns/web',
  subject: { apiVersion: 'v1', kind: 'Web', namespace: 'ns', name: 'web', uid: 'u' },
};

function made(pool: string): StepResult {
  const step: Step = {
    do: 'create',
    resource: deployments,
    object: { metadata: { namespace: 'ns', name: `web-${pool}` } },
    managed: 'apply',
    target: pool,
    why: { word: 'ChildCreated', message: `pool ${pool} is selected and has no Deployment` },
  };
  return { step, did: 'done' };
}

test('what is done for one reason is one line of the log and one count, also for a thousand children', () => {
  const lines: unknown[] = [];
  const counts: unknown[] = [];
  const log: Logger = { ...silentLogger, info: (...line: unknown[]) => void lines.push(line) };
  const announcer = new Announcer({
    log,
    metrics: { steps: (...count) => void counts.push(count), holds: () => undefined },
    recordEvent: () => undefined,
  });
  const pools = Array.from({ length: 1_000 }, (_, index) => `p${index}`);
  const skipped = { ...made('late'), did: 'skipped', because: 'stopping' } as const;
  announcer.outcome(about, { results: [...pools.map(made), skipped] });
  expect(lines).toEqual([
    [
      {
        controller: 'yurt-app-daemon',
        key: 'ns/web',
        step: 'create',
        reason: 'ChildCreated',
        count: 1_000,
        targets: pools.slice(0, 10),
        why: 'pool p0 is selected and has no Deployment',
      },
      'steps done',
    ],
  ]);
  expect(counts).toEqual([
    ['yurt-app-daemon', 'create', 'ChildCreated', 'done', 1_000],
    ['yurt-app-daemon', 'create', 'ChildCreated', 'stopping', 1],
  ]);
});
