import { deployments } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import type { KubeObject, Resource } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { nothingToDo, type Stage } from '../plan.ts';
import type { Step } from '../step.ts';
import { stored } from '../engine.fixture.ts';
import type { RefusedSteps } from './answers/refusals.ts';
import { emptyMemory } from './commands.ts';
import type { ExecutionCommand, ExecutionEvent, Memory } from './commands.ts';
import { beginExecution, continueExecution, outcomeOf } from './execution.ts';
import type { Facts } from './facts.ts';
import { executionRules } from './rules.ts';
import { stepId } from './step-id.ts';

const resource = deployments as Resource<KubeObject>;
const facts: Facts = { leads: true, stopping: false, now: 0, cached: () => 'uncached' };
const refused = refusalOf(403, 'create deployment', 'exceeded quota');

function creationOf(name: string): Step {
  const object = { metadata: { namespace: 'edge', name } };
  const why = { word: 'ChildCreated', message: 'there is none' } as const;
  return { do: 'create', why, resource, object, managed: 'once' };
}

interface Given {
  readonly memory?: Memory;
  readonly heldBack?: RefusedSteps;
  readonly bound?: number;
  /** Names that the API server refuses. */
  readonly refuses?: (name: string) => boolean;
  readonly stage?: Partial<Stage>;
}

/** Carries out one stage, in which each request is answered before the next one is sent. */
function carriedOut(names: readonly string[], given: Given = {}) {
  const { memory = emptyMemory, heldBack, bound = 4, refuses = () => false, stage = {} } = given;
  const steps = names.map(creationOf);
  const plan = { ...nothingToDo, stages: [{ name: 'create', steps, ...stage } as const] };
  const sent: string[] = [];
  let [remembered, most] = [memory, 0];
  const events: ExecutionEvent[] = [];
  const take = (commands: readonly ExecutionCommand[]): void => {
    for (const command of commands) {
      if (command.command === 'remember') remembered = command.memory;
      if (command.command === 'place') events.push({ event: 'placed', of: command.of });
      if (command.command !== 'send') continue;
      const name = names[command.of] ?? '';
      sent.push(name);
      const answer = refuses(name)
        ? ({ ok: false, error: refused } as const)
        : ({ ok: true, object: stored(resource, name, '1') } as const);
      events.push({ event: 'answered', of: command.of, answer });
    }
  };
  let turn = beginExecution({ plan, bound, memory, heldBack }, facts, executionRules);
  for (;;) {
    take(turn.commands);
    most = Math.max(most, turn.state.open.length);
    const event = events.shift();
    if (event === undefined) break;
    turn = continueExecution(turn.state, event, facts, executionRules);
  }
  const did = outcomeOf(turn.state)?.results.map((each) =>
    each.did === 'skipped' ? each.because : each.did,
  );
  return { sent, most, did, memory: remembered };
}

const idOf = (name: string): string => stepId(creationOf(name));
const many = Array.from({ length: 40 }, (_, index) => `web-${String(index)}`);

describe('a stage without slow start', () => {
  it('keeps four times the bound waiting for places', () => {
    expect(carriedOut(many, { bound: 4 }).most).toBe(16);
    expect(carriedOut(many, { bound: 4 }).sent).toEqual(many);
  });
});

describe('a stage that starts slowly', () => {
  const stage = { slowStart: true, endsAfter: 4, pace: { endsAfter: 2 } } as const;

  it('ends after as many failures in a row as it states', () => {
    expect(carriedOut(many, { stage, refuses: () => true }).sent).toHaveLength(4);
  });

  it('ends earlier while something that was refused is not due', () => {
    const heldBack = new Map([['another', refused]]);
    expect(carriedOut(many, { stage, heldBack, refuses: () => true }).sent).toHaveLength(2);
  });

  it('keeps in mind what failed and what was not sent because of it', () => {
    const { did, memory } = carriedOut(['a', 'b', 'c'], {
      stage: { slowStart: true, endsAfter: 2 },
      refuses: () => true,
    });
    expect(did).toEqual(['failed', 'failed', 'too-many-failures']);
    expect(memory.failedLast).toEqual(new Set([idOf('a'), idOf('b')]));
    expect(memory.skippedLast).toEqual(new Set([idOf('c')]));
  });

  it('forgets that where it was sent and taken, and that it was not sent where it failed', () => {
    const memory: Memory = {
      ...emptyMemory,
      failedLast: new Set([idOf('a')]),
      skippedLast: new Set([idOf('b'), idOf('c')]),
    };
    const { memory: after } = carriedOut(['a', 'b', 'c'], {
      memory,
      stage: { slowStart: true },
      refuses: (name) => name === 'b',
    });
    expect(after.failedLast).toEqual(new Set([idOf('b')]));
    expect(after.skippedLast).toEqual(new Set());
  });

  it('keeps what it knows of the steps of other stages', () => {
    const memory: Memory = { ...emptyMemory, failedLast: new Set(['another']) };
    const { memory: after } = carriedOut(['a'], { memory, stage: { slowStart: true } });
    expect(after.failedLast).toEqual(new Set(['another']));
  });
});
