import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotations } from '@atoll/api';
import { noAttributes, taintId, type Attributes } from './attributes.ts';
import { changeOf, type AttributedNode, type NodeChange } from './reconcile-node.ts';
import { parseRecord } from './record.ts';

const record = annotations.previousAttributes;

interface Row {
  readonly says: string;
  readonly node?: Partial<Attributes>;
  readonly recorded?: string;
  readonly wanted?: Partial<Attributes>;
  readonly change: NodeChange | undefined;
}

const none = { labels: {}, annotations: {} } as const;
const edge = { key: 'edge', value: 'x', effect: 'NoSchedule' };

const rows: readonly Row[] = [
  {
    says: 'a node without a pool is left alone',
    node: { labels: { zone: 'a' } },
    change: undefined,
  },
  {
    says: 'a joining node gets everything, with the record, in one change',
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
    says: 'a node that is as the old operator left it is not written',
    node: { labels: { zone: 'a', b: '2' } },
    recorded: '{"labels":{"zone":"a","b":"2"}}',
    wanted: { labels: { b: '2', zone: 'a' } },
    change: undefined,
  },
  {
    says: 'drift on a recorded label is put back',
    node: { labels: { zone: 'x' } },
    recorded: '{"labels":{"zone":"a"}}',
    wanted: { labels: { zone: 'a' } },
    change: { ...none, labels: { zone: 'a' } },
  },
  {
    says: 'a drifted taint value is put back, and foreign taints keep their places',
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
    says: 'a label that the pool lost goes from the node',
    node: { labels: { zone: 'a', mine: '1' } },
    recorded: '{"labels":{"zone":"a"}}',
    change: { labels: { zone: null }, annotations: { [record]: null } },
  },
  {
    says: 'a label that the pool lost stays where somebody gave it another value',
    node: { labels: { zone: 'mine' } },
    recorded: '{"labels":{"zone":"a"}}',
    change: { labels: {}, annotations: { [record]: null } },
  },
  {
    says: 'a taint goes only with key, effect and value as recorded',
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
    says: 'what the user set to the wanted value himself is not ours to remove later',
    node: { labels: { zone: 'a' }, taints: [edge] },
    wanted: { labels: { zone: 'a' }, taints: [edge] },
    change: undefined,
  },
  {
    says: 'a moving node loses the old pool and gets the new one; what both want stays recorded',
    node: { labels: { both: '1', old: '1' } },
    recorded: '{"labels":{"both":"1","old":"1"}}',
    wanted: { labels: { both: '1', fresh: '1' } },
    change: {
      labels: { old: null, fresh: '1' },
      annotations: { [record]: '{"labels":{"both":"1","fresh":"1"}}' },
    },
  },
  {
    says: 'an unreadable record removes nothing and is written anew',
    node: { labels: { zone: 'a' } },
    recorded: '{"labels":',
    wanted: { labels: { tier: 't' } },
    change: { labels: { tier: 't' }, annotations: { [record]: '{"labels":{"tier":"t"}}' } },
  },
];

describe("a node's change", () => {
  test.each(rows)('$says', ({ node = {}, recorded, wanted = {}, change }) => {
    expect(changeOf(nodeWith(node, recorded), { ...noAttributes, ...wanted })).toEqual(change);
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

  test('has exactly what it had before it joined, once it has left, where the pool overwrote nothing', () => {
    fc.assert(
      fc.property(attributes, attributes, (own, wanted) => {
        const clash =
          Object.keys(wanted.labels).some(
            (key) => own.labels[key] !== undefined && own.labels[key] !== wanted.labels[key],
          ) ||
          Object.keys(wanted.annotations).some(
            (key) => own.annotations[key] !== undefined && own.annotations[key] !== wanted.annotations[key],
          ) ||
          wanted.taints.some((taint) =>
            own.taints.some(
              (mine) => mine.key === taint.key && mine.effect === taint.effect && mine.value !== taint.value,
            ),
          );
        fc.pre(!clash);
        const node = nodeWith(own, undefined);
        const member = applied(node, changeOf(node, wanted));
        const left = applied(member, changeOf(member, noAttributes));
        expect(left).toEqual(node);
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

function nodeWith(found: Partial<Attributes>, recorded: string | undefined): AttributedNode {
  const { labels = {}, annotations: own = {}, taints: list = [] } = found;
  const all = recorded === undefined ? own : { ...own, [record]: recorded };
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
