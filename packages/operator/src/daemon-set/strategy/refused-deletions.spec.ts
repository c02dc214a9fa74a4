import { daemonSetUpdate } from '@atoll/api';
import { conditionOf, daemonSets, pods } from '@atoll/kube';
import { refusalOf } from '@atoll/kube/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outdatedDaemonSet } from '../../../simulation/examples/outdated-daemon-set.ts';
import { withoutIdentity } from '../../../simulation/messages/without-identity.ts';
import { createDaemonSetUpgradeController } from '../controller.ts';
import { podOn, upgraded } from '../daemon-set.fixture.ts';

const { annotations, daemonSetConditions, podLabels } = daemonSetUpdate;
const key = { namespace: 'edge', name: 'agent' };

interface Fleet {
  readonly maxUnavailable?: number;
  readonly names?: readonly string[];
  /** Nodes whose pod is not Ready at first. */
  readonly broken?: readonly string[];
  readonly isRefused: (node: string, round: number) => boolean;
  readonly rounds?: number;
}

/** A rollout in rounds of half a minute: what was refused is due again in each. */
function rolledOut({
  maxUnavailable = 1,
  names = ['a', 'b', 'c'],
  broken = [],
  isRefused,
  rounds = 40,
}: Fleet) {
  const asked = { [annotations.maxUnavailable]: String(maxUnavailable) };
  const { world, owned } = outdatedDaemonSet(asked, names, broken);
  const controller = createDaemonSetUpgradeController(world.readers);
  let most = 0;
  const messages: string[] = [];
  const ending = new Set<string>();
  const live = () => world.list(pods).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  for (let round = 0; round < rounds; round += 1) {
    world.refuse = (operation) => {
      const at = operation.verb === 'delete' ? world.get(pods, operation.key).spec?.nodeName : undefined;
      if (operation.verb !== 'delete' || at === undefined || !isRefused(at, round)) return undefined;
      const attempted = `delete pods edge/${operation.key.name}`;
      const message = 'admission webhook "guard" denied the request';
      return refusalOf(403, attempted, message);
    };
    // As often as it asks to be looked at again without an event.
    for (let again = 0; again < names.length + 2; again += 1) world.reconcile(controller, 'edge/agent');
    const ready = live().filter((pod) => conditionOf(pod, 'Ready')?.status === 'True');
    most = Math.max(most, names.length - ready.length);
    const held = conditionOf(world.get(daemonSets, key), daemonSetConditions.held);
    messages.push(held?.message ?? '');
    for (const pod of world.list(pods)) {
      const { metadata, spec } = pod;
      if (metadata.deletionTimestamp === undefined || ending.has(metadata.uid)) continue;
      ending.add(metadata.uid);
      // Its DaemonSet controller makes it again.
      world.put(pods, owned(withoutIdentity(podOn(spec?.nodeName ?? '', upgraded))));
    }
    world.now += 30_000;
  }
  const on = live()
    .filter(({ metadata }) => metadata.labels?.[podLabels.controllerRevisionHash] === 'new')
    .flatMap(({ spec }) => spec?.nodeName ?? [])
    .sort();
  return { on, most, messages };
}

const onA = (name: string): boolean => name === 'a';

describe('a pod whose deletion the API server refuses', () => {
  it('does not stop the upgrade of the others, and stays named', () => {
    const { on, most, messages } = rolledOut({ isRefused: onA });
    expect(on).toEqual(['b', 'c']);
    expect(most).toBe(1);
    const message = 'a: delete pods edge/agent-a-old: admission webhook "guard" denied the request';
    expect(new Set(messages)).toEqual(new Set([message]));
  });

  it('is asked for again when there is a place, and goes when it may', () => {
    const { on, messages } = rolledOut({ isRefused: (name, round) => name === 'a' && round < 20 });
    expect(on).toEqual(['a', 'b', 'c']);
    expect(messages.at(-1)).toBe('nothing is waited for');
  });

  it('spends the budget while it is not available, and leaves those to it that are not either', () => {
    const { on, most } = rolledOut({ isRefused: onA, broken: ['a', 'b'] });
    expect(on).toEqual(['b']);
    expect(most).toBe(2);
  });

  it('is named with all others, whosever turn it is', () => {
    const names = Array.from({ length: 25 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    const { on, messages } = rolledOut({ names, isRefused: (name) => name !== 'n07', rounds: 8 });
    expect(on).toEqual(['n07']);
    const message = 'delete pods edge/agent-n00-old: admission webhook "guard" denied the request';
    expect(new Set(messages.slice(2))).toEqual(new Set([`n00 (also n01, n02 and 21 more): ${message}`]));
  });

  it('never makes more than the budget unavailable, whichever are refused, and when they may go', () => {
    const host = fc.record({ until: fc.nat(10), ever: fc.boolean(), isReady: fc.boolean() });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.array(host, { minLength: 1, maxLength: 5 }),
        (maxUnavailable, hosts) => {
          const names = hosts.map((_, index) => `n${index}`);
          const of = (name: string) => hosts[names.indexOf(name)];
          const broken = names.filter((name) => of(name)?.isReady === false);
          const isRefused = (name: string, round: number): boolean =>
            of(name)?.ever === true || round < (of(name)?.until ?? 0);
          const { on, most } = rolledOut({ maxUnavailable, names, broken, isRefused });
          expect(most).toBeLessThanOrEqual(Math.max(maxUnavailable, broken.length));
          const spent = broken.filter((name) => of(name)?.ever === true).length;
          const may = names.filter((name) => of(name)?.ever !== true);
          expect(on).toEqual(spent < maxUnavailable ? may : may.filter((name) => broken.includes(name)));
        },
      ),
      { numRuns: 20 },
    );
  });
});
