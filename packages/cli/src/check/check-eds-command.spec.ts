import { expect, it } from 'vitest';
import { refusal, runServed } from '../eds/served.fixture.ts';
import { runCheckEds } from './check-eds-command.ts';

const stamp = { name: 'agent', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const rollout = (upToDate: number) => ({
  body: { metadata: stamp, spec: {}, status: { state: 'Running', desired: 100, current: 100, upToDate } },
});
const away = refusal(503, 'ServiceUnavailable', 'shutting down');

/** Each look gets the next of these answers, and the last one from then on. */
async function checked(looks: readonly (typeof away | ReturnType<typeof rollout>)[], minutes = '1') {
  let look = 0;
  let tries = 0;
  const answer = () => {
    const current = looks[look] ?? looks.at(-1) ?? away;
    // The client asks five times before it gives a look up.
    tries += 1;
    if (current !== away || tries === 5) [look, tries] = [look + 1, 0];
    return current;
  };
  const env = { CHECK_INTERVAL_SECONDS: '0', CHECK_TIMEOUT_MINUTES: minutes };
  return runServed(['upgrade', 'agent'], answer, { run: runCheckEds, env });
}

it('a look that gets no answer does not end the check of a rollout', async () => {
  const { code, out, err } = await checked([rollout(50), away, rollout(100)]);
  expect(code).toBe(0);
  expect(out.trim().split('\n')).toEqual(
    [50, 100].map((count) => `${count} of 100 pods of agent are up to date`),
  );
  expect(err).toBe('looking again: get extendeddaemonsets.datadoghq.com default/agent: shutting down\n');
});

it('where the first one gets none, that is the answer', async () => {
  const { code, err } = await checked([away]);
  expect(code).toBe(1);
  expect(err).toContain('shutting down');
});

it('where none comes any more, the check ends in time and says why', async () => {
  const { code, err } = await checked([rollout(50), away], '0.02');
  expect(code).toBe(1);
  expect(err).toContain(
    'error: not complete after 0.02 minutes: 50 of 100 pods of agent are up to date. Since then: get ',
  );
});

it('a refusal ends it', async () => {
  const forbidden = refusal(403, 'Forbidden', 'is forbidden: User "u" cannot get resource');
  const { code, err } = await checked([rollout(50), forbidden]);
  expect(code).toBe(1);
  expect(err).toContain('Ask for this permission');
});
