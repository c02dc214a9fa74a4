import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { refusal, runServed } from '../eds/served.fixture.ts';
import { runCheckEds } from './check-eds-command.ts';

const stamp = { name: 'agent', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const rollout = (upToDate: number) => ({
  body: { metadata: stamp, spec: {}, status: { state: 'Running', desired: 100, current: 100, upToDate } },
});
const away = refusal(503, 'ServiceUnavailable', 'shutting down');

/** Each look gets the next of these answers, and the last one from then on. */
async function checked(
  looks: readonly (typeof away | ReturnType<typeof rollout>)[],
  minutes = '1',
  whileAsked: (look: number) => void = () => undefined,
) {
  let look = 0;
  let tries = 0;
  const answer = () => {
    const current = looks[look] ?? looks.at(-1) ?? away;
    // The client asks five times before it gives a look up.
    tries += 1;
    whileAsked(look);
    if (current !== away || tries === 5) [look, tries] = [look + 1, 0];
    return current;
  };
  const env = { CHECK_INTERVAL_SECONDS: '0.1', CHECK_TIMEOUT_MINUTES: minutes };
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

it('is not to look without a pause', async () => {
  for (const seconds of ['0', '0.0', '0.01']) {
    const { code, err } = await runServed(['upgrade', 'agent'], () => rollout(100), {
      run: runCheckEds,
      env: { CHECK_INTERVAL_SECONDS: seconds },
    });
    expect(code).toBe(2);
    expect(err).toContain(
      `CHECK_INTERVAL_SECONDS is "${seconds}". Allowed is a number of at least 0.1 and at most 3600`,
    );
  }
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

it.each([
  ['a year ahead', 365],
  ['a year back', -365],
])('a clock that is set %s while it waits neither ends the check nor keeps it', async (_, days) => {
  const realNow = Date.now;
  let set = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + set);
  const setIt = (look: number): void => {
    if (look === 1) set = days * 86_400_000;
  };
  try {
    const done = await checked([50, 50, 50, 100].map(rollout), '1', setIt);
    expect(done.code).toBe(0);
    set = 0;
    const late = await checked([rollout(50)], '0.005', setIt);
    expect(late.err).toContain('not complete after 0.005 minutes');
  } finally {
    clock.mockRestore();
  }
});

it('a refusal ends it', async () => {
  const forbidden = refusal(403, 'Forbidden', 'is forbidden: User "u" cannot get resource');
  const { code, err } = await checked([rollout(50), forbidden]);
  expect(code).toBe(1);
  expect(err).toContain('Ask for this permission');
});

it.each([
  [50, 1],
  [100, 0],
])(
  'where nobody reads the output, a rollout of which %d percent are done ends it with %d',
  async (done, code) => {
    let looks = 0;
    const server = createServer((_, response) => {
      looks += 1;
      const { body } = rollout(looks < 20 ? 50 : done);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const program = fileURLToPath(new URL('../check-eds.ts', import.meta.url));
    const line = [program, 'upgrade', 'agent', '--server', `http://127.0.0.1:${port}`];
    const minutes = code === 0 ? '10' : '0.02';
    const env = { HOME: '/nobody', CHECK_INTERVAL_SECONDS: '0.1', CHECK_TIMEOUT_MINUTES: minutes };
    const child = spawn(process.execPath, line, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([code, null]);
    server.close();
  },
);
