import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { leases } from '@atoll/kube';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { connect, newNamespace } from './control-plane.ts';

interface Look {
  readonly at: number;
  readonly leads: boolean;
}

/** Another process that wants to lead, and all it ever said. */
class Candidate {
  readonly looks: Look[] = [];
  readonly exited: Promise<number | null>;
  readonly #process: ChildProcess;

  constructor(namespace: string, identity: string) {
    const script = fileURLToPath(new URL('candidate.ts', import.meta.url));
    const child = spawn(process.execPath, [script, inject('kubeconfig'), namespace, identity], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    // Not at its exit, when its last words may be unread.
    this.exited = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    createInterface({ input: child.stdout }).on('line', (line) => this.looks.push(JSON.parse(line) as Look));
  }

  get leads(): boolean {
    return this.looks.at(-1)?.leads ?? false;
  }

  /** From its first to its last look as leader, each uninterrupted time. */
  terms(): readonly { readonly from: number; readonly to: number }[] {
    const terms: { from: number; to: number }[] = [];
    let open: { from: number; to: number } | undefined;
    for (const { at, leads } of this.looks) {
      if (!leads) open = undefined;
      else if (open === undefined) terms.push((open = { from: at, to: at }));
      else open.to = at;
    }
    return terms;
  }

  send(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }
}

const candidates: Candidate[] = [];

function start(namespace: string, identity: string): Candidate {
  const candidate = new Candidate(namespace, identity);
  candidates.push(candidate);
  return candidate;
}

afterEach(() => {
  for (const candidate of candidates.splice(0)) candidate.send('SIGKILL');
});

const soon = { interval: 50 };

async function twoCandidates(namespace: string): Promise<{ leader: Candidate; other: Candidate }> {
  const leader = start(namespace, 'a');
  await expect.poll(() => leader.leads, soon).toBe(true);
  const other = start(namespace, 'b');
  await expect.poll(() => other.looks.length, soon).toBeGreaterThan(0);
  return { leader, other };
}

function expectNoOverlap(a: Candidate, b: Candidate): void {
  for (const mine of a.terms()) {
    for (const other of b.terms()) expect(mine.to < other.from || other.to < mine.from).toBe(true);
  }
}

describe('of two processes', () => {
  it('the second leads soon after the first was asked to end, and the record shows the change', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'election');
    const { leader, other } = await twoCandidates(namespace);
    expect(other.leads).toBe(false);
    leader.send('SIGTERM');
    expect(await leader.exited).toBe(0);
    // Given back, so that the second need not wait until it runs out.
    const givenBack = await client.get(leases, { namespace, name: 'candidates' });
    expect(['', 'b']).toContain(givenBack.spec?.holderIdentity);
    await expect.poll(() => other.leads, soon).toBe(true);
    expectNoOverlap(leader, other);
    const lease = await client.get(leases, { namespace, name: 'candidates' });
    expect(lease.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 10 });
  });

  it('the second leads after the first was killed, when the lease has run out', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'election');
    const { leader, other } = await twoCandidates(namespace);
    const killedAt = Date.now();
    leader.send('SIGKILL');
    await leader.exited;
    await expect.poll(() => other.leads, soon).toBe(true);
    // Who led when it was killed had renewed at most 6 s before, and the lease lasts 10 s from there.
    expect((other.terms()[0]?.from ?? 0) - killedAt).toBeGreaterThan(3900);
    expectNoOverlap(leader, other);
  });

  it('one that was stopped and woken up finds at its first check that it leads no more', async () => {
    await using client = await connect();
    const namespace = await newNamespace(client, 'election');
    const { leader, other } = await twoCandidates(namespace);
    leader.send('SIGSTOP');
    await expect.poll(() => other.leads, soon).toBe(true);
    const wokenAt = Date.now();
    leader.send('SIGCONT');
    expect(await leader.exited).toBe(1);
    const after = leader.looks.filter(({ at }) => at >= wokenAt);
    expect(after.length).toBeGreaterThan(0);
    expect(after.some(({ leads }) => leads)).toBe(false);
    expectNoOverlap(leader, other);
    expect(other.leads).toBe(true);
  });
});
