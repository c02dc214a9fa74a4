import { annotations, nodePools } from '@atoll/api';
import { nodes } from '@atoll/kube';
import type { CacheEvent, KubeObject, Node, Stored } from '@atoll/kube';
import type { Readers } from '../../src/caches.ts';
import type { Controller } from '../../src/engine/controller.ts';
import { patchAsSeen } from '../../src/engine/steps/patch-as-seen.ts';
import { sameJson } from '../../src/engine/same-meaning.ts';
import type { Step } from '../../src/engine/step.ts';
import { createNodePoolController } from '../../src/node-pool/controller.ts';
import type { NodePoolSnapshot } from '../../src/node-pool/observe.ts';
import type { Shown } from '../model/caches.ts';
import { withoutVersion } from '../explorer/planned-step.ts';
import { processOf } from '../process.ts';
import type { Process } from '../world.ts';
import { poolA, poolOf, recordOf } from './node-pool-objects.ts';
import {
  alwaysSynced,
  changingStatus,
  changingSteps,
  reportingWhatWasPlanned,
  wakingLess,
} from './planted.ts';

/** Planted bugs of section 3.1, and those common to all kinds that are bugs of a controller. */
export type NodePoolBug =
  | 'record-decides'
  | 'cleans-up-by-key'
  | 'pool-left-cleans-up'
  | 'writes-a-stale-node'
  | 'record-apart-from-attributes'
  | 'forgets-deleted-pools'
  | 'forgets-earlier-values'
  | 'ready-not-watched'
  | 'unsynced-is-empty'
  | 'status-of-older-spec'
  | 'status-of-what-was-planned'
  | 'unsorted-status';

/** The shipped controller over model caches, with a bug or none. */
export function nodePoolProcess(shown: Shown, bug: NodePoolBug | undefined): Process {
  return processOf(shown, ['nodePools', 'definitionOfNodePools', 'nodes'], (readers) => {
    const { nodePools: pools, nodes: members } = readers;
    const believing = { ...readers, nodePools: alwaysSynced(pools), nodes: alwaysSynced(members) };
    const controller = createNodePoolController(bug === 'unsynced-is-empty' ? believing : readers);
    return withBug(controller, readers, bug);
  });
}

const record = annotations.previousAttributes;

function withBug(
  controller: Controller<NodePoolSnapshot>,
  readers: Readers,
  bug: NodePoolBug | undefined,
): Controller<NodePoolSnapshot> {
  switch (bug) {
    case 'record-decides':
      return changingPatches(controller, (step) =>
        bodyOf(step).metadata?.annotations?.[record] === undefined ? [] : [step],
      );
    case 'cleans-up-by-key':
      return changingPatches(controller, (step, snapshot) => {
        if (snapshot.pool !== undefined) return [step];
        const node = snapshot.nodes.find((each) => each.metadata.name === step.key.name);
        return [removing(step, Object.keys(node === undefined ? {} : (recordOf(node).labels ?? {})))];
      });
    case 'pool-left-cleans-up':
      return {
        ...controller,
        plan: (snapshot, decision, at) => {
          const plan = controller.plan(snapshot, decision, at);
          if (snapshot.name !== poolA.metadata.name) return plan;
          const steps = readers.nodes.list().filter(leftPoolA).map(cleanUp);
          const stage = { name: 'clean up nodes that left', steps } as const;
          return steps.length === 0 ? plan : { ...plan, stages: [...plan.stages, stage] };
        },
        sources: controller.sources.map((each) => ({
          ...each,
          keysFor: (event: CacheEvent<KubeObject>) => [...each.keysFor(event), poolA.metadata.name],
        })),
      };
    case 'writes-a-stale-node':
      return changingPatches(controller, (step) => [withoutVersion(step)]);
    case 'record-apart-from-attributes':
      return changingPatches(controller, (step) => recordApart(withoutVersion(step)));
    case 'forgets-deleted-pools':
      return {
        ...controller,
        observe: (key) => {
          const snapshot = controller.observe(key);
          return snapshot?.pool === undefined ? undefined : snapshot;
        },
      };
    case 'forgets-earlier-values':
      return changingPatches(controller, (step) => [withoutEarlierValues(step)]);
    case 'ready-not-watched':
      return wakingLess(
        controller,
        (resource) => resource === nodes,
        (event) => (event.type === 'updated' && sameButStatus(event.old, event.object) ? undefined : event),
      );
    case 'status-of-older-spec':
      return reportingWhatWasPlanned(controller, (before, { nodes: members, pool: after }) => {
        const spec = before.pool?.spec;
        if (after === undefined || spec === undefined) return before;
        return { ...before, nodes: members, pool: { ...after, spec } };
      });
    case 'status-of-what-was-planned':
      return reportingWhatWasPlanned(controller, (before, { pool }) => ({ ...before, pool }));
    case 'unsorted-status':
      return changingStatus(controller, (status: { readonly nodes?: readonly string[] }) => ({
        ...status,
        nodes: [...(status.nodes ?? [])].reverse(),
      }));
    case 'unsynced-is-empty':
    case undefined:
      return controller;
  }
}

type PatchStep = Extract<Step, { readonly do: 'patch' }>;

interface Body {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: object;
}

/** Patches of nodes. */
function changingPatches(
  controller: Controller<NodePoolSnapshot>,
  change: (step: PatchStep, snapshot: NodePoolSnapshot) => readonly Step[],
): Controller<NodePoolSnapshot> {
  return changingSteps(controller, (step, snapshot) =>
    step.do === 'patch' && step.resource.plural !== nodePools.plural ? change(step, snapshot) : [step],
  );
}

function removing(step: PatchStep, keys: readonly string[]): PatchStep {
  const body = bodyOf(step);
  const gone = Object.fromEntries(keys.map((key) => [key, null]));
  return withBody(step, {
    ...body,
    metadata: { ...body.metadata, labels: { ...body.metadata?.labels, ...gone } },
  });
}

function withoutEarlierValues(step: PatchStep): PatchStep {
  const { annotations: changed = {}, ...metadata } = bodyOf(step).metadata ?? {};
  const { [annotations.earlierAttributes]: _, ...others } = changed;
  return withBody(step, { ...bodyOf(step), metadata: { ...metadata, annotations: others } });
}

/** The attributes first, the record in a request of its own. */
function recordApart(step: PatchStep): readonly PatchStep[] {
  const { annotations: changed = {}, ...metadata } = bodyOf(step).metadata ?? {};
  const { [record]: text, ...others } = changed;
  const attributes = { ...bodyOf(step), metadata: { ...metadata, annotations: others } };
  return [
    withBody(step, attributes),
    withBody(step, { metadata: { annotations: { [record]: text ?? null } } }),
  ];
}

/** It carries what pool a put there, and is a member of another pool. */
function leftPoolA(node: Stored<KubeObject>): boolean {
  const pool = poolOf(node);
  return pool !== undefined && pool !== poolA.metadata.name && recordOf(node).labels !== undefined;
}

/** Each recorded key that still has its recorded value, although the node's new pool may give the same. */
function cleanUp(node: Stored<KubeObject>): Step {
  const gone = Object.entries(recordOf(node).labels ?? {})
    .filter(([key, value]) => node.metadata.labels?.[key] === value)
    .map(([key]) => [key, null]);
  const body = { metadata: { labels: Object.fromEntries(gone) as object } };
  return withoutVersion({
    ...patchAsSeen(nodes, node as Stored<Node>, { type: 'merge', body }),
    why: { word: 'NodeLeft', message: `node ${node.metadata.name} has left` },
  });
}

function bodyOf(step: PatchStep): Body {
  return step.patch.body as Body;
}

function withBody(step: PatchStep, body: Body): PatchStep {
  return { ...step, patch: { type: 'merge', body } };
}

function sameButStatus(a: KubeObject, b: KubeObject): boolean {
  const bare = ({ metadata, ...rest }: KubeObject) => ({
    labels: metadata.labels,
    annotations: metadata.annotations,
    spec: (rest as { readonly spec?: unknown }).spec,
  });
  return a.metadata.uid === b.metadata.uid && sameJson(bare(a), bare(b));
}
