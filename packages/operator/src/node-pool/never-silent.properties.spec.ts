import { annotations, conditionTypes, labels, type NodePool } from '@atoll/api';
import type { CustomResourceDefinition, Node, Stored, Taint } from '@atoll/kube';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import { membershipOf } from './membership.ts';
import type { NodePoolSnapshot } from './observe.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';

const now = Date.parse('2026-11-01T10:00:00Z');
const { previousAttributes, earlierAttributes, keptLabels, keptTaints, followedPool } = annotations;
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const label = fc.constantFrom('zone', 'constructor', 'node.kubernetes.io/role');
const map = fc.dictionary(label, fc.constantFrom('', 'x', 'y'), { maxKeys: 3, noNullPrototype: true });
const taint: fc.Arbitrary<Taint> = fc.record({
  key: fc.constantFrom('a', 'b'),
  value: fc.constantFrom('', 'x', 'y'),
  effect: fc.constantFrom('NoSchedule', 'NoExecute'),
});
const taints = fc.uniqueArray(taint, { maxLength: 3, selector: ({ key, effect }) => key + effect });
const attributes = fc.record({ labels: map, annotations: map, taints }, { requiredKeys: [] });
/** What an operator wrote, or somebody made of it. */
const record = fc.oneof(
  { weight: 3, arbitrary: attributes.map((each) => JSON.stringify(each)) },
  fc.constantFrom('', '{', 'null', '[]', '"x"', '{"labels":null,"taints":[null,{"key":1}]}', '[[[[]]]]'),
);
const poolName = fc.constantFrom('hz', 'hz', 'sh', '');

const node = fc.record({
  labels: map,
  notes: map,
  taints,
  pool: optional(poolName),
  desired: optional(poolName),
  followed: optional(poolName),
  record: optional(record),
  before: optional(record),
  keptLabels: optional(
    fc.oneof(
      record,
      fc.record({ pool: poolName, labels: map }).map((each) => JSON.stringify(each)),
    ),
  ),
  kept: optional(
    fc.oneof(
      record,
      taints.map((each) => JSON.stringify({ pool: 'hz', taints: each })),
    ),
  ),
});
const worlds = fc.record({
  isFirst: fc.boolean(),
  certain: fc.constantFrom(true, true, true, false),
  spec: optional(attributes),
  exists: fc.constantFrom(true, true, true, false),
  definition: optional(fc.constantFrom('2026-09-01T00:00:00Z', '2026-11-01T00:00:00Z')),
  isGoing: fc.boolean(),
  isSeen: fc.boolean(),
  nodes: fc.array(node, { minLength: 1, maxLength: 4 }),
});
type Drawn = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

const defined = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter((each): each is [string, string] => each[1] !== undefined),
  );

function nodeFrom(drawn: Drawn['nodes'][number], index: number): Stored<Node> {
  const name = `n${index}`;
  const own = defined({ [labels.nodePool]: drawn.pool, [labels.desiredNodePool]: drawn.desired });
  const notes = defined({
    [followedPool]: drawn.followed,
    [previousAttributes]: drawn.record,
    [earlierAttributes]: drawn.before,
    [keptLabels]: drawn.keptLabels,
    [keptTaints]: drawn.kept,
  });
  const metadata = {
    name,
    uid: `uid of ${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-10-01T00:00:00Z',
    labels: { ...drawn.labels, ...own },
    annotations: { ...drawn.notes, ...notes },
  };
  return { metadata, spec: { taints: drawn.taints } } as Stored<Node>;
}

function definitionOf(creationTimestamp: string): Stored<CustomResourceDefinition> {
  const metadata = { name: 'nodepools.apps.openyurt.io', uid: 'd', resourceVersion: '1', creationTimestamp };
  return { metadata, spec: {} as never };
}

/** Of the pool `hz`, with the nodes that its key is in charge of. */
function snapshotFrom(drawn: Drawn): NodePoolSnapshot {
  const { certain, isFirst, spec, exists, definition, isGoing, isSeen, nodes } = drawn;
  const plain = { name: 'hz', uid: 'u', resourceVersion: '1', generation: 2, creationTimestamp: '' };
  const metadata = isGoing ? { ...plain, deletionTimestamp: '2026-11-01T10:00:00Z' } : plain;
  const canBeJoined = exists && !isGoing;
  const status = isSeen ? { observedGeneration: 2 } : {};
  const pool = exists
    ? ({ metadata, ...(spec === undefined ? {} : { spec }), status } as Stored<NodePool>)
    : undefined;
  const all = nodes.map(nodeFrom);
  const joins = (each: Stored<Node>): boolean => {
    const { request } = membershipOf(each);
    return request?.does === 'join' && request.pool === 'hz';
  };
  const isOurs = (each: Stored<Node>): boolean =>
    (canBeJoined && joins(each)) || membershipOf(each).current === 'hz';
  return {
    name: 'hz',
    pool,
    definitionOfPools: definition === undefined ? undefined : definitionOf(definition),
    nodes: all.filter(isOurs),
    asking: canBeJoined ? [] : all.filter(joins),
    certain,
    leftAsFound: new Set(isFirst ? all.map(({ metadata: { uid } }) => uid) : []),
    unnotedLeavers: [],
  };
}

/** After the writes of one reconcile: nodes that left are in it no more. */
function written(snapshot: NodePoolSnapshot): NodePoolSnapshot {
  const { outdated } = decide(snapshot);
  const changes = new Map(outdated.map(({ node: { metadata }, change }) => [metadata.name, change]));
  const merged = (found: object | undefined, changed: object): Record<string, string> =>
    defined(
      Object.fromEntries(
        Object.entries({ ...found, ...changed }).map(([key, value]) => [
          key,
          (value as string | null) ?? undefined,
        ]),
      ),
    );
  const nodes = snapshot.nodes.map((each): Stored<Node> => {
    const change = changes.get(each.metadata.name);
    if (change === undefined) return each;
    const metadata = {
      ...each.metadata,
      labels: merged(each.metadata.labels, change.labels),
      annotations: merged(each.metadata.annotations, change.annotations),
    };
    return { ...each, metadata, spec: { ...each.spec, taints: change.taints ?? each.spec?.taints ?? [] } };
  });
  return { ...snapshot, nodes: nodes.filter((each) => membershipOf(each).current === 'hz') };
}

/** Whether all that the pool gives is on the node; a label that says what a node is stays its own. */
function isAsWanted({ metadata, spec }: Stored<Node>, { spec: wanted }: Stored<NodePool>): boolean {
  const has = (found: object | undefined, given: object | undefined): boolean =>
    Object.entries(given ?? {}).every(
      ([key, value]) =>
        Object.entries(found ?? {}).some((each) => each[0] === key && each[1] === value) ||
        (key.startsWith('node.kubernetes.io/') && Object.hasOwn(found ?? {}, key)),
    );
  const hasTaint = (each: Taint): boolean =>
    spec?.taints?.some(
      ({ key, effect, value = '' }) =>
        key === each.key && effect === each.effect && value === (each.value ?? ''),
    ) === true;
  return (
    has(metadata.labels, wanted?.labels) &&
    has(metadata.annotations, wanted?.annotations) &&
    (wanted?.taints ?? []).every(hasTaint) &&
    membershipOf({ metadata }).current === 'hz'
  );
}

/** Labels of the pool that say what a node is, where a node has another value. */
function notSet({ pool, nodes }: NodePoolSnapshot): readonly string[] {
  return Object.entries(pool?.spec?.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith('node.kubernetes.io/') && nodes.some(({ metadata }) => metadata.labels?.[key] !== value)
      ? [key]
      : [],
  );
}

/** Nodes that are not as they should be, of which nothing is said and to which nothing is done; the pool, where only that is. */
function silent(snapshot: NodePoolSnapshot): readonly string[] {
  const { pool, nodes, asking, certain } = snapshot;
  const { stages, holds } = plan(snapshot, decide(snapshot), now);
  const steps = stages.flatMap((stage) => stage.steps);
  if (!certain) return steps.length === 0 && (pool === undefined || holds.length > 0) ? [] : [snapshot.name];
  const named = new Set([
    ...steps.flatMap((step) => ('target' in step ? [step.target] : [])),
    ...holds.flatMap(({ targets }) => targets),
  ]);
  const wrong = [...nodes.filter((each) => pool === undefined || !isAsWanted(each, pool)), ...asking];
  return wrong.map(({ metadata }) => metadata.name).filter((name) => !named.has(name));
}

it('writes each node that is not as its pool wants it, or says why not', () => {
  fc.assert(
    fc.property(worlds, fc.boolean(), (drawn, isWritten) => {
      const snapshot = snapshotFrom(drawn);
      expect(silent(isWritten ? written(snapshot) : snapshot)).toEqual([]);
    }),
    { numRuns: 600 },
  );
});

it('says of a pool that is not Ready why it is not, and of none that it is while a node is still to be written', () => {
  fc.assert(
    fc.property(worlds, (drawn) => {
      const snapshot = snapshotFrom({ ...drawn, exists: true });
      const decision = decide(snapshot);
      const [write] = report(snapshot, decision, { results: [] }, now);
      const conditions = (write?.status as NodePool['status'])?.conditions ?? [];
      const ready = conditions.find(({ type }) => type === conditionTypes.ready);
      expect(ready?.status === 'True').toBe(snapshot.certain && decision.outdated.length === 0);
      expect(ready?.reason).toMatch(/^[A-Z]\w+$/);
      expect(ready?.message).not.toBe('');
      // No node is left to be written: what is not set stays so.
      const unnamed = notSet(snapshot).filter((key) => ready?.message?.includes(key) !== true);
      expect(ready?.status === 'True' ? unnamed : []).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
