import { annotations, labels, nodePools } from '@atoll/api';
import type { NodePool } from '@atoll/api';
import { ApiError, nodes } from '@atoll/kube';
import type { CacheEvent, KubeObject, Resource } from '@atoll/kube';
import type { Controller } from '../../src/engine/controller.ts';
import type { Plan } from '../../src/engine/plan.ts';
import { sameJson } from '../../src/engine/same-meaning.ts';
import type { Step } from '../../src/engine/step.ts';
import { createNodePoolController } from '../../src/node-pool/controller.ts';
import { emptyStore, seed, slotOf } from '../store.ts';
import type { Store } from '../store.ts';
import type { Shown } from '../caches.ts';
import { deletes, edits, statusFollows } from '../neighbours/people.ts';
import { processOf } from '../process.ts';
import { objectsOf } from '../world.ts';
import type { Effect, EngineBug, Fault, Process, World } from '../world.ts';

/** Planted bugs of section 3.1, as wrappers around the shipped controller. */
export type NodePoolBug =
  | 'record-decides'
  | 'cleans-up-by-key'
  | 'writes-a-stale-node'
  | 'record-apart-from-attributes'
  | 'forgets-deleted-pools'
  | 'ready-not-watched';

export interface NodePoolWorldOptions {
  readonly name: string;
  readonly nodes?: readonly string[];
  readonly budgets: Readonly<Record<string, number>>;
  readonly faults?: readonly Fault[];
  readonly lag?: number;
  readonly bug?: NodePoolBug;
  readonly engineBug?: EngineBug;
  /** The node that cannot be written. */
  readonly refused?: string;
}

/** A node, as far as this world reads it. */
interface SmallNode extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

const smallNodes = nodes as unknown as Resource<SmallNode>;
const now = Date.UTC(2026, 0, 1);
const stamp = '2026-01-01T00:00:00Z';
/** As every pool says its type once it was looked at; a step that depends on nothing would only multiply states. */
const edge = { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' };
const foreign: Taint = { key: 'foreign', effect: 'NoSchedule' };
/** A value that no pool gives: whoever wrote it, it is not ours to remove. */
const somebodys = '9';

/** Two pools that give partly equal attributes, and nodes that move, drift, break and are touched by others. */
export function nodePoolWorld(options: NodePoolWorldOptions): World {
  const { refused } = options;
  return {
    name: options.name,
    build: (shown) => build(shown, options.bug),
    begin: begin(options.nodes ?? ['n1']),
    keys: ['a', 'b', '(left)'],
    neighbours: [
      edits('move', smallNodes, ({ metadata }) => {
        const next =
          { a: 'b', b: null }[poolOf(metadata.labels) ?? ''] ??
          (poolOf(metadata.labels) === 'b' ? null : 'a');
        return [
          {
            label: `moves ${metadata.name} to ${next ?? 'no pool'}`,
            patch: { metadata: { labels: { [labels.nodePool]: next } } },
          },
        ];
      }),
      edits('edit', nodePools, ({ metadata, spec }) => [
        {
          label: `sets zone 2 on pool ${metadata.name}`,
          patch: { spec: { labels: { ...spec?.labels, zone: '2' } } },
        },
      ]),
      edits('drift', smallNodes, ({ metadata }) => [
        {
          label: `sets zone ${somebodys} on ${metadata.name}`,
          patch: { metadata: { labels: { zone: somebodys } } },
        },
      ]),
      edits('rival', smallNodes, ({ metadata, spec }) => [
        { label: `taints ${metadata.name}`, patch: { spec: { taints: [...(spec?.taints ?? []), foreign] } } },
      ]),
      deletes('drop', nodePools),
      {
        ...statusFollows('kubelet', smallNodes, ({ metadata, status }) => ({
          label: `${metadata.name} turns ${isReady({ metadata, ...(status === undefined ? {} : { status }) }) ? 'not ready' : 'ready'}`,
          status: {
            conditions: [
              { type: 'Ready', status: status?.conditions?.[0]?.status === 'True' ? 'False' : 'True' },
            ],
          },
        })),
        spends: 'flip',
      },
    ],
    budgets: options.budgets,
    faults: options.faults ?? [
      'lost-after',
      'lost-before',
      'refused',
      'crash-before',
      'crash-after',
      'crash-late',
    ],
    lag: options.lag ?? 1,
    now,
    wrongEffect,
    missing: (store) => missingIn(store, refused),
    ...(refused === undefined
      ? {}
      : {
          refuse: (operation) =>
            operation.verb === 'patch' &&
            operation.resource.kind === 'Node' &&
            operation.key.name === refused &&
            !isMove(operation.patch.body)
              ? new ApiError({
                  fate: 'refused',
                  code: 403,
                  reason: 'Forbidden',
                  attempted: `patch node ${refused}`,
                  message: 'denied by policy',
                })
              : undefined,
        }),
    ...(options.engineBug === undefined ? {} : { bug: options.engineBug }),
  };
}

function begin(names: readonly string[]): Store {
  const a: NodePool = {
    metadata: { name: 'a', labels: edge },
    spec: { labels: { zone: '1', shared: 'x' }, taints: [{ key: 'a', effect: 'NoSchedule' }] },
  };
  const b: NodePool = { metadata: { name: 'b', labels: edge }, spec: { labels: { shared: 'x' } } };
  let store = seed(emptyStore, nodePools, a, 'uid-a', stamp);
  store = seed(store, nodePools, b, 'uid-b', stamp);
  for (const name of names) {
    const node: SmallNode = {
      metadata: { name, labels: { [labels.nodePool]: 'a', own: 'yes' } },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    };
    store = seed(store, nodes, node, `uid-${name}`, stamp);
  }
  return store;
}

function build(shown: Shown, bug: NodePoolBug | undefined): Process {
  return processOf(shown, ['nodePools', 'nodes'], (readers) =>
    withBug(createNodePoolController(readers), bug),
  );
}

type PatchStep = Extract<Step, { readonly do: 'patch' }>;

interface Body {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: object;
}

function withBug<
  Snapshot extends { readonly name: string; readonly pool: unknown; readonly nodes: readonly KubeObject[] },
>(controller: Controller<Snapshot>, bug: NodePoolBug | undefined): Controller<Snapshot> {
  const record = annotations.previousAttributes;
  switch (bug) {
    case 'record-decides':
      return changing(controller, (step) =>
        bodyOf(step).metadata?.annotations?.[record] === undefined ? [] : [step],
      );
    case 'cleans-up-by-key':
      return changing(controller, (step, snapshot) => {
        if (snapshot.pool !== undefined) return [step];
        const node = snapshot.nodes.find((each) => each.metadata.name === step.key.name);
        const recorded = JSON.parse(node?.metadata.annotations?.[record] ?? '{}') as {
          readonly labels?: object;
        };
        const gone = Object.fromEntries(Object.keys(recorded.labels ?? {}).map((key) => [key, null]));
        const body = bodyOf(step);
        return [
          withBody(step, {
            ...body,
            metadata: { ...body.metadata, labels: { ...body.metadata?.labels, ...gone } },
          }),
        ];
      });
    case 'writes-a-stale-node':
      return changing(controller, (step) => [withoutVersion(step)]);
    case 'record-apart-from-attributes':
      return changing(controller, (versioned) => {
        const step = withoutVersion(versioned);
        const { annotations: changed = {}, ...metadata } = bodyOf(step).metadata ?? {};
        const { [record]: text, ...others } = changed;
        const attributes = { ...bodyOf(step), metadata: { ...metadata, annotations: others } };
        return [
          withBody(step, attributes),
          withBody(step, { metadata: { annotations: { [record]: text ?? null } } }),
        ];
      });
    case 'forgets-deleted-pools':
      return {
        ...controller,
        observe: (key) => {
          const snapshot = controller.observe(key);
          return snapshot?.pool === undefined ? undefined : snapshot;
        },
      };
    case 'ready-not-watched':
      return {
        ...controller,
        sources: controller.sources.map((each) => ({
          ...each,
          keysFor: (event: CacheEvent<KubeObject>) =>
            event.type === 'updated' && sameButStatus(event.old, event.object) ? [] : each.keysFor(event),
        })),
      };
    case undefined:
      return controller;
  }
}

function changing<Snapshot>(
  controller: Controller<Snapshot>,
  change: (step: PatchStep, snapshot: Snapshot) => readonly Step[],
): Controller<Snapshot> {
  return {
    ...controller,
    plan: (snapshot, at): Plan => {
      const plan = controller.plan(snapshot, at);
      const stages = plan.stages.map((stage) => ({
        ...stage,
        steps: stage.steps.flatMap((step) => (step.do === 'patch' ? change(step, snapshot) : [step])),
      }));
      return { ...plan, stages };
    },
  };
}

function withoutVersion(step: PatchStep): PatchStep {
  const { resourceVersion: _, ...rest } = step;
  return rest;
}

function bodyOf(step: PatchStep): Body {
  return step.patch.body as Body;
}

function withBody(step: PatchStep, body: Body): PatchStep {
  return { ...step, patch: { type: 'merge', body } };
}

function sameButStatus(a: SmallNode, b: SmallNode): boolean {
  if (a.metadata.uid !== b.metadata.uid || a.status === undefined) return false;
  return (
    sameJson(a.metadata.labels, b.metadata.labels) &&
    sameJson(a.metadata.annotations, b.metadata.annotations) &&
    sameJson(a.spec, b.spec)
  );
}

function poolOf(found: Readonly<Record<string, string>> | undefined): string | undefined {
  return found?.[labels.nodePool];
}

function isReady(node: SmallNode): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

function isMove(body: unknown): boolean {
  return (
    (body as Body).metadata?.annotations?.[annotations.previousAttributes] === undefined &&
    (body as Body).spec === undefined
  );
}

function wrongEffect({ before, after, request }: Effect): string | undefined {
  if (request.verb !== 'patch' || request.resource.kind !== 'Node') return undefined;
  const slot = slotOf(request.resource, request.key);
  const [old, next] = [
    before.objects.get(slot)?.object as SmallNode,
    after.objects.get(slot)?.object as SmallNode,
  ];
  const name = old.metadata.name;
  if (hasTaint(old, 'foreign') && !hasTaint(next, 'foreign'))
    return `a taint of somebody else is taken from ${name}`;
  if (old.metadata.labels?.['zone'] === somebodys && next.metadata.labels?.['zone'] === undefined) {
    return `a label that somebody else wrote is taken from ${name}`;
  }
  if (next.metadata.labels?.['own'] !== 'yes') return `the own label of ${name} is taken`;
  return poolOf(old.metadata.labels) === poolOf(next.metadata.labels)
    ? undefined
    : `the membership of ${name} is changed`;
}

function hasTaint(node: SmallNode, key: string): boolean {
  return node.spec?.taints?.some((taint) => taint.key === key) === true;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

function missingIn(store: Store, refused: string | undefined): string | undefined {
  const pools = new Map(objectsOf(store, nodePools).map((pool) => [pool.metadata.name, pool]));
  const all = objectsOf(store, smallNodes);
  for (const node of all) {
    if (node.metadata.name === refused) continue;
    const pool = pools.get(poolOf(node.metadata.labels) ?? '');
    const wanted: Readonly<Record<string, string>> = pool?.spec?.labels ?? {};
    for (const key of ['zone', 'shared']) {
      const found = node.metadata.labels?.[key];
      if (found === wanted[key]) continue;
      if (wanted[key] === undefined && found === somebodys) continue;
      return `${node.metadata.name} of pool ${pool?.metadata.name ?? 'none'} has ${key}=${found}, not ${wanted[key]}`;
    }
    const tainted = pool?.spec?.taints?.some(({ key }) => key === 'a') === true;
    if (hasTaint(node, 'a') !== tainted)
      return `${node.metadata.name} ${tainted ? 'lacks' : 'keeps'} the taint of pool a`;
  }
  for (const [name, pool] of pools) {
    const members = all.filter((node) => poolOf(node.metadata.labels) === name);
    const names = members.map((node) => node.metadata.name).sort();
    const { status } = pool;
    if (!sameJson(status?.nodes, names))
      return `status.nodes of pool ${name} is ${JSON.stringify(status?.nodes)}`;
    const ready = members.filter(isReady).length;
    if (status?.readyNodeNum !== ready || status.unreadyNodeNum !== names.length - ready)
      return `pool ${name} counts wrongly`;
    const condition = (status.conditions as readonly Condition[] | undefined)?.find(
      ({ type }) => type === 'Ready',
    );
    const fails = refused !== undefined && names.includes(refused);
    if (!fails && condition?.status !== 'True') return `pool ${name} is not Ready: ${condition?.message}`;
    if (fails && !(condition?.status === 'False' && condition.message?.includes(refused) === true)) {
      return `pool ${name} does not name the refused node: ${condition?.message}`;
    }
  }
  return undefined;
}
