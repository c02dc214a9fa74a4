import { extendedDaemonSets } from '@atoll/api';
import { ApiError, nodes, pods } from '@atoll/kube';
import { describe, expect, it } from 'vitest';
import { FreshWorld } from '../../../../simulation/examples/fresh-world.ts';
import { withoutIdentity } from '../../../../simulation/messages/without-identity.ts';
import { createExtendedDaemonSetController } from '../../controller.ts';
import { agent, node } from '../../extended-daemon-set.fixture.ts';

const denied = { fate: 'refused', code: 403, reason: 'Forbidden', message: 'no' } as const;

/** An object in a world whose API server refuses pods of some nodes. Each round is a retry. */
class Retried {
  readonly #world = new FreshWorld();
  readonly #controller = createExtendedDaemonSetController(this.#world.readers, 'auto', this.#world.findings);

  constructor(names: readonly string[]) {
    const rollingUpdate = { slowStartIntervalDuration: '1ms', slowStartAdditiveIncrease: 250 };
    const { status: _, ...object } = withoutIdentity(agent('agent:1', { strategy: { rollingUpdate } }));
    this.#world.put(extendedDaemonSets, object as never);
    for (const name of names) this.#world.put(nodes, withoutIdentity(node(name)));
  }

  /** Returns the message and whether the status was written, of each round. */
  rounds(count: number, isRefused: (node: string) => boolean): readonly (readonly [string, boolean])[] {
    this.#world.refuse = (operation) => {
      if (operation.verb !== 'apply' && operation.verb !== 'create') return undefined;
      if (operation.resource.plural !== pods.plural) return undefined;
      return isRefused(nodeOf(operation.object))
        ? new ApiError({ ...denied, attempted: 'create pods' })
        : undefined;
    };
    return Array.from({ length: count }, () => {
      const { statusWritten } = this.#world.reconcile(this.#controller, 'edge/agent');
      this.#world.now += 30_000;
      const { status } = this.#world.get(extendedDaemonSets, { namespace: 'edge', name: 'agent' });
      return [
        status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
        statusWritten,
      ] as const;
    });
  }

  get served(): readonly string[] {
    return this.#world.list(pods).map(nodeOf);
  }
}

function nodeOf(pod: object): string {
  return /"values":\["([^"]+)"\]/.exec(JSON.stringify(pod))?.[1] ?? '';
}

function named(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(2, '0')}`);
}

describe('many nodes whose pod is refused', () => {
  it.each([11, 20, 35])('are all tried again, also the last of %i', (count) => {
    const names = named('n', count);
    for (const last of [names.at(-1) ?? '', names[10] ?? '']) {
      const world = new Retried(names);
      world.rounds(10, () => true);
      world.rounds(6, (each) => each !== last);
      expect(world.served).toEqual([last]);
    }
  });

  it('delay the others by one retry for ten of them', () => {
    const world = new Retried([...named('n', 40), 'z']);
    world.rounds(6, (each) => each !== 'z');
    expect(world.served).toEqual(['z']);
  });

  it('are all named while some of them are tried again, without a write at rest', () => {
    const world = new Retried(named('n', 35));
    world.rounds(6, () => true);
    const message = 'n00, n01, n02 and 32 more: create pods: no';
    expect(world.rounds(8, () => true)).toEqual(Array.from({ length: 8 }, () => [message, false]));
  });
});
