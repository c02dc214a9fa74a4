import { deployments, type Client, type KubeObject, type Resource, type Stored } from '@atoll/kube';
import { FakeClock } from '@atoll/kube/testing';
import { describe, expect, it } from 'vitest';
import type { TrialVerdict } from './judge-refusal.ts';
import type { Trial } from './trial.ts';
import { TryChildren } from './try-children.ts';

interface UnderWay {
  readonly name: string;
  /** What the request may take. */
  readonly timeoutMs: number | undefined;
  readonly answer: () => void;
}

/** Trials at an API server that answers when it is told to. */
function world() {
  const clock = new FakeClock();
  const underWay: UnderWay[] = [];
  const client: Pick<Client, 'create' | 'apply'> = {
    create: async <T extends KubeObject>(
      _: Resource<T>,
      object: T,
      { timeoutMs }: { timeoutMs?: number } = {},
    ) => {
      const answered = Promise.withResolvers<void>();
      underWay.push({ name: object.metadata.name, timeoutMs, answer: answered.resolve });
      await answered.promise;
      return object as unknown as Stored<T>;
    },
    apply: async () => expect.unreachable('each child is tried as a new one'),
  };
  const tries = new TryChildren({ client, clock });
  const verdicts = new Map<string, TrialVerdict>();
  const start = (name: string, namespace = 'shop'): void => {
    const trial: Trial = {
      key: name,
      resource: deployments as Resource<KubeObject>,
      object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name }, spec: {} },
      uid: undefined,
      occupied: false,
    };
    void tries.verdictOf(trial).then((verdict) => verdicts.set(name, verdict));
  };
  return { clock, underWay, verdicts, start };
}

const full = {
  outcome: 'unknown',
  why: 'there was no place for its dry run within 2.5 s, as too many others were under way',
};

const slowNamespaces = ['a', 'b', 'c'];

describe('trials whose answers are slow', () => {
  it('are six at a time in a namespace, and the next one goes when one is answered, with the time that is left', async () => {
    const { clock, underWay, verdicts, start } = world();
    for (let number = 1; number <= 8; number += 1) start(`web-${number}`);
    await clock.advance(2_000);
    expect(underWay.map(({ timeoutMs }) => timeoutMs)).toEqual(Array.from({ length: 6 }, () => 3_000));
    underWay[3]?.answer();
    await clock.advance(0);
    expect(verdicts).toEqual(new Map([['web-4', { outcome: 'fine' }]]));
    expect(underWay.slice(6)).toMatchObject([{ name: 'web-7', timeoutMs: 1_000 }]);
  });

  it('take no place of another namespace, and 16 places in all', async () => {
    const { clock, underWay, start } = world();
    for (let number = 1; number <= 20; number += 1) start(`web-${number}`);
    start('healthy', 'other');
    await clock.advance(0);
    expect(underWay.map(({ name }) => name)).toContain('healthy');
    for (const namespace of slowNamespaces) {
      for (let number = 1; number <= 20; number += 1) start(`${namespace}-${number}`, namespace);
    }
    await clock.advance(0);
    expect(underWay).toHaveLength(16);
  });

  it('have no verdict where there was no place in time for an answer, and leave the line', async () => {
    const { clock, underWay, verdicts, start } = world();
    for (let number = 1; number <= 8; number += 1) start(`web-${number}`);
    await clock.advance(2_499);
    expect(verdicts.size).toBe(0);
    await clock.advance(1);
    expect(verdicts).toEqual(
      new Map([
        ['web-7', full],
        ['web-8', full],
      ]),
    );
    // Those that are answered at last leave their places to others, and to none that gave up.
    for (const { answer } of underWay.splice(0)) answer();
    for (let number = 21; number <= 27; number += 1) start(`web-${number}`);
    await clock.advance(0);
    expect(underWay).toHaveLength(6);
    expect(underWay[0]?.name).toBe('web-21');
    for (const { answer } of underWay.splice(0)) answer();
    await clock.advance(0);
    expect(underWay.map(({ name }) => name)).toEqual(['web-27']);
    for (const { answer } of underWay.splice(0)) answer();
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });
});
