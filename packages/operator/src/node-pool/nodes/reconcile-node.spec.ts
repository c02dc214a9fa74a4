import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotations } from '@atoll/api';
import { noAttributes, taintId, type Attributes } from './attributes.ts';
import { changeOf, type AttributedNode, type NodeChange } from './reconcile-node.ts';
import { parseRecord } from './record.ts';

const { previousAttributes: record, earlierAttributes: earlier } = annotations;

interface Row {
  readonly title: string;
  readonly node?: Partial<Attributes>;
  readonly recorded?: string;
  readonly before?: string;
  readonly wanted?: Partial<Attributes>;
  readonly change: NodeChange | undefined;
}

const none = { labels: {}, annotations: {} } as const;
const edge = { key: 'edge', value: 'x', effect: 'NoSchedule' };

const rows: readonly Row[] = [
  {
    title: 'a node without a pool is left alone',
    node: { labels: { zone: 'a' } },
    change: undefined,
  },
  {
    title: 'a joining node gets everything, with the record, in one change',
    wanted: { labels: { zone: 'a' }, annotations: { note: 'n' }, taints: [edge] },
    change: {
      labels: { zone: 'a' },
      annotations: {
        note: 'n',
        [record]:
          '{"labels":{"zone":"a"},"annotations":{"note":"n"},"taints":[{"key":"edge","value":"x","effect":"NoSchedule"}]}',
      },
      taints: [edge],
    },
  },
  {
    title: 'a node that is as the old operator left it is not written',
    node: { labels: { zone: 'a', b: '2' } },
    recorded: '{"labels":{"zone":"a","b":"2"}}',
    wanted: { labels: { b: '2', zone: 'a' } },
    change: undefined,
  },
  {
    title: 'drift on a recorded label is put back',
    node: { labels: { zone: 'x' } },
    recorded: '{"labels":{"zone":"a"}}',
    wanted: { labels: { zone: 'a' } },
    change: { ...none, labels: { zone: 'a' } },
  },
  {
    title: 'a drifted taint value is put back, and foreign taints keep their places',
    node: {
      taints: [
        { key: 'other', effect: 'NoExecute' },
        { ...edge, value: 'y' },
      ],
    },
    recorded: '{"taints":[{"key":"edge","value":"x","effect":"NoSchedule"}]}',
    wanted: { taints: [edge] },
    change: { ...none, taints: [{ key: 'other', effect: 'NoExecute' }, edge] },
  },
  {
    title: 'a label that the pool lost goes from the node',
    node: { labels: { zone: 'a', mine: '1' } },
    recorded: '{"labels":{"zone":"a"}}',
    change: { labels: { zone: null }, annotations: { [record]: null } },
  },
  {
    title: 'a label that the pool lost stays where somebody gave it another value',
    node: { labels: { zone: 'mine' } },
    recorded: '{"labels":{"zone":"a"}}',
    change: { labels: {}, annotations: { [record]: null } },
  },
  {
    title: 'a taint goes only with key, effect and value as recorded',
    node: {
      taints: [
        { ...edge, value: 'mine' },
        { key: 'gone', effect: 'NoExecute' },
      ],
    },
    recorded:
      '{"taints":[{"key":"edge","value":"x","effect":"NoSchedule"},{"key":"gone","effect":"NoExecute"}]}',
    change: { labels: {}, annotations: { [record]: null }, taints: [{ ...edge, value: 'mine' }] },
  },
  {
    title: 'what the user set to the wanted value himself is not ours to remove later',
    node: { labels: { zone: 'a' }, taints: [edge] },
    wanted: { labels: { zone: 'a' }, taints: [edge] },
    change: undefined,
  },
  {
    title: 'a moving node loses the old pool and gets the new one; what both want stays recorded',
    node: { labels: { both: '1', old: '1' } },
    recorded: '{"labels":{"both":"1","old":"1"}}',
    wanted: { labels: { both: '1', fresh: '1' } },
    change: {
      labels: { old: null, fresh: '1' },
      annotations: { [record]: '{"labels":{"both":"1","fresh":"1"}}' },
    },
  },
  {
    title: 'an unreadable record removes nothing and is written anew',
    node: { labels: { zone: 'a' } },
    recorded: '{"labels":',
    wanted: { labels: { tier: 't' } },
    change: { labels: { tier: 't' }, annotations: { [record]: '{"labels":{"tier":"t"}}' } },
  },
  {
    title: 'a record that is not text does not make ours what the user set himself',
    node: { labels: { zone: 'a' } },
    recorded: '{"labels":{"zone":1}}',
    wanted: { labels: { zone: 'a' } },
    change: { labels: {}, annotations: { [record]: null } },
  },
  {
    title: 'what a joining node had under the keys of the pool is noted',
    node: {
      labels: { zone: 'own', b: '1' },
      annotations: { note: 'own' },
      taints: [{ ...edge, value: 'own' }],
    },
    wanted: { labels: { zone: 'a' }, annotations: { note: 'n' }, taints: [edge] },
    change: {
      labels: { zone: 'a' },
      annotations: {
        note: 'n',
        [record]:
          '{"labels":{"zone":"a"},"annotations":{"note":"n"},"taints":[{"key":"edge","value":"x","effect":"NoSchedule"}]}',
        [earlier]:
          '{"labels":{"zone":"own"},"annotations":{"note":"own"},"taints":[{"key":"edge","value":"own","effect":"NoSchedule"}]}',
      },
      taints: [edge],
    },
  },
  {
    title: 'and comes back when it leaves, or the pool drops the key',
    node: {
      labels: { zone: 'a' },
      annotations: { note: 'n' },
      taints: [edge, { key: 'b', effect: 'NoExecute' }],
    },
    recorded:
      '{"labels":{"zone":"a"},"annotations":{"note":"n"},"taints":[{"key":"edge","value":"x","effect":"NoSchedule"}]}',
    before:
      '{"labels":{"zone":"own"},"annotations":{"note":"own"},"taints":[{"key":"edge","value":"own","effect":"NoSchedule"}]}',
    change: {
      labels: { zone: 'own' },
      annotations: { note: 'own', [record]: null, [earlier]: null },
      taints: [
        { ...edge, value: 'own' },
        { key: 'b', effect: 'NoExecute' },
      ],
    },
  },
  {
    title: 'but not over a value that somebody gave it since, or took away',
    node: { labels: { zone: 'new' }, taints: [{ ...edge, value: 'new' }] },
    recorded: '{"labels":{"zone":"a","b":"1"},"taints":[{"key":"edge","value":"x","effect":"NoSchedule"}]}',
    before:
      '{"labels":{"zone":"own","b":"own"},"taints":[{"key":"edge","value":"own","effect":"NoSchedule"}]}',
    change: { labels: {}, annotations: { [record]: null, [earlier]: null } },
  },
  {
    title: 'another value of the pool, or of the next pool, leaves it noted',
    node: { labels: { zone: 'a' }, taints: [edge] },
    recorded: '{"labels":{"zone":"a"},"taints":[{"key":"edge","value":"x","effect":"NoSchedule"}]}',
    before: '{"labels":{"zone":"own"},"taints":[{"key":"edge","value":"own","effect":"NoSchedule"}]}',
    wanted: { labels: { zone: 'b' }, taints: [{ ...edge, value: 'y' }] },
    change: {
      labels: { zone: 'b' },
      annotations: {
        [record]: '{"labels":{"zone":"b"},"taints":[{"key":"edge","value":"y","effect":"NoSchedule"}]}',
      },
      taints: [{ ...edge, value: 'y' }],
    },
  },
  {
    title: 'what somebody gives a key of the pool meanwhile is put back, and is not what the node had before',
    node: { labels: { zone: 'drift', b: 'drift' } },
    recorded: '{"labels":{"b":"1","zone":"a"}}',
    before: '{"labels":{"zone":"own"}}',
    wanted: { labels: { b: '1', zone: 'a' } },
    change: { ...none, labels: { b: '1', zone: 'a' } },
  },
  {
    title: 'a pool that now gives what the node had before leaves nothing to change when it leaves',
    node: { labels: { zone: 'own' } },
    recorded: '{"labels":{"zone":"own"}}',
    before: '{"labels":{"zone":"own"}}',
    change: { labels: {}, annotations: { [record]: null, [earlier]: null } },
  },
  {
    title: 'what an old operator put there goes, because nobody noted what was there before',
    node: { labels: { zone: 'a' } },
    recorded: '{"labels":{"zone":"a"}}',
    change: { labels: { zone: null }, annotations: { [record]: null } },
  },
  {
    title: 'a note without a record, as an old operator may leave it, is taken off',
    before: '{"labels":{"zone":"own"}}',
    change: { labels: {}, annotations: { [earlier]: null } },
  },
  {
    title: 'a label that says what the node is stays its own, and is put where it has none',
    node: { labels: { 'kubernetes.io/hostname': 'n' } },
    wanted: { labels: { 'kubernetes.io/hostname': 'pool', 'topology.kubernetes.io/zone': 'z' } },
    change: {
      labels: { 'topology.kubernetes.io/zone': 'z' },
      annotations: { [record]: '{"labels":{"topology.kubernetes.io/zone":"z"}}' },
    },
  },
  {
    title:
      'a label that says what the node is stays where the pool of an old operator put it, whatever the order of the record',
    node: { labels: { 'topology.kubernetes.io/zone': 'z', tier: 'a' } },
    recorded: '{"labels":{"topology.kubernetes.io/zone":"z","tier":"a"}}',
    wanted: { labels: { tier: 'a', 'topology.kubernetes.io/zone': 'z' } },
    change: undefined,
  },
  {
    title: 'a label that says what the node is follows the pool that had put it there',
    node: { labels: { 'topology.kubernetes.io/zone': 'z' } },
    recorded: '{"labels":{"topology.kubernetes.io/zone":"z"}}',
    wanted: { labels: { 'topology.kubernetes.io/zone': 'y' } },
    change: {
      labels: { 'topology.kubernetes.io/zone': 'y' },
      annotations: { [record]: '{"labels":{"topology.kubernetes.io/zone":"y"}}' },
    },
  },
  {
    title:
      'a label that says what the node is, and that its pool had put there, comes back when it is taken off',
    recorded: '{"labels":{"topology.kubernetes.io/zone":"z"}}',
    wanted: { labels: { 'topology.kubernetes.io/zone': 'z' } },
    change: { ...none, labels: { 'topology.kubernetes.io/zone': 'z' } },
  },
  {
    title: 'a label that says what the node is belongs to the kubelet that has written it since',
    node: { labels: { 'kubernetes.io/hostname': 'n' } },
    recorded: '{"labels":{"kubernetes.io/hostname":"pool"}}',
    wanted: { labels: { 'kubernetes.io/hostname': 'pool' } },
    change: { labels: {}, annotations: { [record]: null } },
  },
  {
    title: 'a key that every JavaScript object has is a key like others',
    wanted: { labels: { constructor: '1' } },
    change: { labels: { constructor: '1' }, annotations: { [record]: '{"labels":{"constructor":"1"}}' } },
  },
];

describe("a node's change", () => {
  test.each(rows)('$title', ({ node = {}, recorded, before, wanted = {}, change }) => {
    expect(changeOf(nodeWith(node, recorded, before), { ...noAttributes, ...wanted })).toEqual(change);
  });
});

const keys = fc.constantFrom('a', 'b', 'c');
const values = fc.constantFrom('1', '2');
const maps = fc.dictionary(keys, values);
const taints = fc.uniqueArray(
  fc.record({ key: keys, value: values, effect: fc.constantFrom('NoSchedule', 'NoExecute') }),
  { selector: ({ key, effect }) => `${key}:${effect}` },
);
const attributes = fc.record({ labels: maps, annotations: maps, taints });

describe('any node, any pool', () => {
  test('carries all that is wanted afterwards, and needs nothing more', () => {
    fc.assert(
      fc.property(attributes, attributes, attributes, (found, recorded, wanted) => {
        const node = nodeWith(found, JSON.stringify(recorded));
        const after = applied(node, changeOf(node, wanted));
        expect(after.metadata.labels).toMatchObject(wanted.labels);
        expect(after.metadata.annotations).toMatchObject(wanted.annotations);
        expect(after.spec?.taints).toEqual(expect.arrayContaining([...wanted.taints]));
        expect(changeOf(after, wanted)).toBeUndefined();
      }),
    );
  });

  test('loses a key only if it was recorded with the value that it had', () => {
    fc.assert(
      fc.property(attributes, attributes, attributes, (found, recorded, wanted) => {
        const node = nodeWith(found, JSON.stringify(recorded));
        const after = applied(node, changeOf(node, wanted));
        const lostLabels = Object.entries(found.labels).filter(
          ([key]) => after.metadata.labels?.[key] === undefined,
        );
        expect(recorded.labels).toMatchObject(Object.fromEntries(lostLabels));
        const carried = new Set(after.spec?.taints?.map(taintId));
        const lostTaints = found.taints.filter((taint) => !carried.has(taintId(taint)));
        expect(recorded.taints).toEqual(expect.arrayContaining(lostTaints));
      }),
    );
  });

  test('has exactly what it had before it joined, once it has left, whatever pools it was in', () => {
    fc.assert(
      fc.property(attributes, fc.array(attributes, { maxLength: 4 }), (own, pools) => {
        const node = nodeWith(own, undefined);
        let after = node;
        for (const wanted of [...pools, noAttributes]) after = applied(after, changeOf(after, wanted));
        expect(after).toEqual(node);
      }),
    );
  });

  test('remembers only what it carries', () => {
    fc.assert(
      fc.property(attributes, attributes, attributes, (found, recorded, wanted) => {
        const node = nodeWith(found, JSON.stringify(recorded));
        const after = applied(node, changeOf(node, wanted));
        const remembered = parseRecord(after.metadata.annotations?.[record]);
        expect(after.metadata.labels).toMatchObject(remembered.labels);
        expect(wanted.labels).toMatchObject(remembered.labels);
        expect(after.spec?.taints).toEqual(expect.arrayContaining([...remembered.taints]));
      }),
    );
  });
});

function nodeWith(found: Partial<Attributes>, recorded: string | undefined, before?: string): AttributedNode {
  const { labels = {}, annotations: own = {}, taints: list = [] } = found;
  const all = {
    ...own,
    ...(recorded === undefined ? {} : { [record]: recorded }),
    ...(before === undefined ? {} : { [earlier]: before }),
  };
  return { metadata: { name: 'n', labels, annotations: all }, spec: { taints: list } };
}

function applied(node: AttributedNode, change: NodeChange | undefined): AttributedNode {
  if (change === undefined) return node;
  const merge = (map: Readonly<Record<string, string>> = {}, by: Readonly<Record<string, string | null>>) =>
    Object.fromEntries(
      Object.entries({ ...map, ...by }).filter((entry): entry is [string, string] => entry[1] !== null),
    );
  return {
    metadata: {
      ...node.metadata,
      labels: merge(node.metadata.labels, change.labels),
      annotations: merge(node.metadata.annotations, change.annotations),
    },
    spec: { taints: change.taints ?? node.spec?.taints ?? [] },
  };
}
