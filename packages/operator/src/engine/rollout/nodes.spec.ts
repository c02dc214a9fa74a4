import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Taint } from '@atoll/kube';
import { nodePlace, stillTainted, type SeenNode } from './nodes.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 11, minute)).toISOString();
const instant = (minute: number): number => Date.parse(at(minute));

function node(
  ready: string | undefined,
  since?: number,
  taints: readonly { readonly key: string; readonly effect: string; readonly timeAdded?: string }[] = [],
): SeenNode {
  return {
    metadata: { labels: {}, creationTimestamp: at(0) },
    spec: { taints },
    status: {
      conditions: [
        { type: 'MemoryPressure', status: 'False', lastTransitionTime: at(1) },
        ...(ready === undefined
          ? []
          : [
              {
                type: 'Ready',
                status: ready,
                ...(since === undefined ? {} : { lastTransitionTime: at(since) }),
              },
            ]),
      ],
    },
  };
}

describe('a node is reachable while it is Ready', () => {
  const away = (awaySince: number, notReadySince = awaySince) => ({ reach: { awaySince }, notReadySince });
  const unreachable = (added?: number) => ({
    key: 'node.kubernetes.io/unreachable',
    effect: 'NoExecute',
    ...(added === undefined ? {} : { timeAdded: at(added) }),
  });
  const notReady = (added?: number) => ({ ...unreachable(added), key: 'node.kubernetes.io/not-ready' });
  const rows: readonly [string, SeenNode, object][] = [
    ['Ready', node('True', 5), { reach: 'reachable' }],
    ['Ready again, its taint not yet taken away', node('True', 9, [unreachable(3)]), { reach: 'reachable' }],
    ['the kubelet reports that it is not Ready', node('False', 5), away(now, instant(5))],
    [
      'its kubelet reports it, and it was tainted',
      node('False', 5, [notReady(40)]),
      away(instant(40), instant(5)),
    ],
    ['the clock of its kubelet is ahead', node('False', 90, [notReady(40)]), away(instant(40))],
    ['silent, and tainted first', node('Unknown', 7, [unreachable(6)]), away(instant(6))],
    ['silent, and tainted later', node('Unknown', 7, [unreachable(8)]), away(instant(7))],
    ['a taint without a time says nothing', node('Unknown', 7, [unreachable()]), away(instant(7))],
    [
      'a taint that says something else',
      node('False', 7, [{ key: 'disk', effect: 'NoExecute', timeAdded: at(2) }]),
      away(now, instant(7)),
    ],
    ['without a Ready condition, since it was made', node(undefined), away(instant(0))],
    ['a clock that is ahead, and no taint', node('False', 90), away(now)],
  ];
  test.each(rows)('%s', (_name, given, expected) => {
    expect(nodePlace(given, now)).toEqual(expected);
  });
});

describe('a node that is Ready and still tainted is away', () => {
  const taint = (name: string, added?: number): Taint => ({
    key: `node.kubernetes.io/${name}`,
    effect: 'NoSchedule',
    ...(added === undefined ? {} : { timeAdded: at(added) }),
  });
  const tolerated = [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }] as const;
  const both = node('True', 5, [taint('not-ready', 10), taint('unreachable', 20)]);
  it.each<[string, ReturnType<typeof stillTainted>, Taint]>([
    ['since the first of its taints', stillTainted(both, [], false, now), taint('not-ready', 10)],
    [
      'since the first that is not tolerated',
      stillTainted(both, tolerated, false, now),
      taint('unreachable', 20),
    ],
    ['since now, where a pod is there', stillTainted(both, [], true, now), taint('not-ready', 60)],
    [
      'since now, where the taint has no time',
      stillTainted(node('True', 5, [taint('not-ready')]), [], false, now),
      taint('not-ready', 60),
    ],
    [
      'since now, where the clock of the taint is ahead',
      stillTainted(node('True', 5, [taint('not-ready', 90)]), [], false, now),
      taint('not-ready', 60),
    ],
  ])('%s', (_, found, { key, timeAdded }) => {
    expect(found).toEqual({ awaySince: Date.parse(timeAdded ?? ''), taint: key });
  });
});

describe('the zone is what the labels name', () => {
  const zoneIn = (labels: Readonly<Record<string, string>>) =>
    nodePlace({ ...node('True'), metadata: { labels, creationTimestamp: at(0) } }, now).zone;
  const zone = 'topology.kubernetes.io/zone';
  const oldZone = 'failure-domain.beta.kubernetes.io/zone';
  it.each([
    [{}, undefined],
    [{ [zone]: 'a' }, 'a'],
    [{ [zone]: '', [oldZone]: 'b' }, 'b'],
    [{ [zone]: 'a', [oldZone]: 'b' }, 'a'],
  ])('%j', (labels, expected) => {
    expect(zoneIn(labels)).toBe(expected);
  });
});

it('returns for every node whether it is away, and never since a moment that is still to come', () => {
  const time = fc.option(fc.integer({ min: 0, max: 180 }).map(at), { nil: undefined });
  const anyNode = fc.record({
    metadata: fc.record({ creationTimestamp: fc.constantFrom(at(0), at(90)) }),
    spec: fc.record({
      taints: fc.array(
        fc.record({
          key: fc.constantFrom('node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'x'),
          effect: fc.constantFrom('NoSchedule', 'NoExecute'),
          timeAdded: time,
        }),
        { maxLength: 3 },
      ),
    }),
    status: fc.record({
      conditions: fc.array(
        fc.record({
          type: fc.constant('Ready'),
          status: fc.constantFrom('True', 'False', 'Unknown', 'odd'),
          lastTransitionTime: time,
        }),
        { maxLength: 1 },
      ),
    }),
  });
  fc.assert(
    fc.property(anyNode, (given) => {
      const { reach, notReadySince } = nodePlace(given as SeenNode, now);
      const ready = given.status.conditions[0]?.status === 'True';
      expect(reach === 'reachable').toBe(ready);
      expect(reach === 'reachable' ? 0 : reach.awaySince).toBeLessThanOrEqual(now);
      expect(notReadySince === undefined).toBe(ready);
      expect(reach === 'reachable' ? 0 : (notReadySince ?? Infinity) - reach.awaySince).toBeLessThanOrEqual(
        0,
      );
    }),
  );
});
