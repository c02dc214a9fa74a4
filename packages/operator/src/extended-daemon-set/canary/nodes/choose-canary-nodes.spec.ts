import { describe, expect, it } from 'vitest';
import { node, now } from '../../extended-daemon-set.fixture.ts';
import { chooseCanaryNodes, type CanaryCandidates } from './choose-canary-nodes.ts';

const inZone = (name: string, zone: string) => node(name, { labels: { zone } });
const minute = 60_000;

interface Given extends Partial<CanaryCandidates> {
  readonly replicas?: number | string;
  readonly antiAffinityKeys?: readonly string[];
  readonly recorded?: readonly string[];
  readonly isRefused?: (node: string) => boolean;
}

function chosen({ replicas = 1, antiAffinityKeys = [], recorded = [], isRefused, ...candidates }: Given) {
  const nothing: CanaryCandidates = {
    nodes: [],
    staying: [],
    awaySince: () => undefined,
    restartsOn: () => 0,
    hasStarted: () => false,
  };
  const strategy = { replicas, nodeSelector: {}, antiAffinityKeys };
  const all = { ...nothing, ...candidates };
  return chooseCanaryNodes(strategy, recorded, all, isRefused ?? (() => false), now);
}

describe('how many nodes a canary has', () => {
  const nodes = ['a', 'b'].map((name) => node(name));
  const tainted = node('t');

  it('is a share of those that fit, and of those that are tainted where one is recorded and runs', () => {
    const share = { replicas: '50%', nodes, staying: [tainted] };
    expect(chosen({ ...share, recorded: ['t'] }).nodes).toEqual(['t', 'a']);
    expect(chosen(share).nodes).toEqual(['a']);
  });

  it('shrinks from the end', () => {
    expect(chosen({ replicas: 1, nodes, recorded: ['b', 'a'] }).nodes).toEqual(['b']);
  });
});

describe('new nodes of a canary', () => {
  it('are of other zones than those that it keeps', () => {
    const nodes = [inZone('a1', 'a'), inZone('a2', 'a'), inZone('b1', 'b')];
    const spread = { replicas: 2, antiAffinityKeys: ['zone'], nodes, recorded: ['a1'] };
    expect(chosen(spread).nodes).toEqual(['a1', 'b1']);
    expect(chosen({ ...spread, antiAffinityKeys: [] }).nodes).toEqual(['a1', 'a2']);
  });

  it('have the fewest restarts', () => {
    const nodes = ['a', 'b', 'c'].map((name) => node(name));
    const restartsOn = (name: string): number => ({ a: 2, b: 0, c: 1 })[name] ?? 0;
    expect(chosen({ replicas: 2, nodes, restartsOn }).nodes).toEqual(['b', 'c']);
  });

  it('are not away', () => {
    const nodes = ['a', 'b'].map((name) => node(name));
    const awaySince = ({ metadata }: (typeof nodes)[number]) => (metadata.name === 'a' ? now : undefined);
    expect(chosen({ nodes, awaySince }).nodes).toEqual(['b']);
  });
});

describe('a node of a canary that is away', () => {
  const nodes = ['a', 'b'].map((name) => node(name));
  const away = (forMs: number, more: Given = {}) => {
    const awaySince = ({ metadata }: (typeof nodes)[number]) =>
      metadata.name === 'a' ? now - forMs : undefined;
    return chosen({ nodes, recorded: ['a'], awaySince, ...more });
  };

  it('is given up after a minute, and looked at again then', () => {
    expect(away(minute - 1)).toEqual({ nodes: ['a'], requeueAt: now + 1 });
    expect(away(minute)).toEqual({ nodes: ['b'], requeueAt: undefined });
  });

  it('stays where the canary has started there', () => {
    expect(away(minute, { hasStarted: () => true })).toEqual({ nodes: ['a'], requeueAt: undefined });
  });

  it('stays where no other one can take its place', () => {
    expect(away(minute, { nodes: nodes.slice(0, 1) }).nodes).toEqual(['a']);
  });
});

describe('nodes that refuse the pod of a canary', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e'].map((name) => node(name));

  it('are given up for others, up to three of them', () => {
    const isRefused = (name: string): boolean => ['a', 'b', 'c', 'd'].includes(name);
    expect(chosen({ nodes, recorded: ['a'], isRefused: (name) => name === 'a' }).nodes).toEqual(['b']);
    expect(chosen({ nodes, recorded: ['d'], isRefused }).nodes).toEqual(['d']);
    expect(chosen({ nodes: nodes.slice(0, 1), recorded: ['a'], isRefused }).nodes).toEqual(['a']);
  });

  it('do not send the canary round: the one that is recorded goes before others that refuse it', () => {
    const two = nodes.slice(0, 2);
    expect(chosen({ nodes: two, recorded: ['b'], isRefused: () => true }).nodes).toEqual(['b']);
  });

  it('stay in their order where no other ones can take their place: each other order is another status', () => {
    const recorded = ['d', 'a', 'c', 'b'];
    const isRefused = (name: string): boolean => name !== 'e';
    expect(chosen({ replicas: 4, nodes: nodes.slice(0, 4), recorded, isRefused }).nodes).toEqual(recorded);
    expect(chosen({ replicas: 5, nodes, recorded, isRefused }).nodes).toEqual([...recorded, 'e']);
    expect(chosen({ replicas: 4, nodes, recorded, isRefused }).nodes).toEqual(['d', 'a', 'b', 'e']);
  });
});
