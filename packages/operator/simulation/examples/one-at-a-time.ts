import { controllerOf } from '@atoll/kube';
import type { ObjectKey, Reader, Stored } from '@atoll/kube';
import type { Controller } from '../../src/engine/controller.ts';
import { source } from '../../src/engine/controller.ts';
import { nothingToDo } from '../../src/engine/plan.ts';
import type { Plan } from '../../src/engine/plan.ts';
import { children, poolOf, spreads } from './one-child-per-pool.ts';
import type { Child, Spread } from './one-child-per-pool.ts';

/** A spread whose children are replaced by deletion, at most one at a time, in the order that the spec names. */
export interface Replacing extends Spread {
  readonly spec: Spread['spec'] & { readonly order: readonly string[] };
}

interface Snapshot {
  readonly spread: Stored<Replacing>;
  readonly children: readonly Stored<Child>[];
}

interface Readers {
  readonly spreads: Reader<Spread>;
  readonly children: Reader<Child>;
}

/**
 * The smallest controller with a budget: a child that is missing is being replaced, and nobody else may go meanwhile. Its
 * victims follow the spec, so that a second edit picks another one: what makes a lost response dangerous (F1).
 */
export function createOneAtATimeController(readers: Readers): Controller<Snapshot> {
  return {
    name: 'one-at-a-time',
    resource: spreads,
    sources: [
      source(readers.spreads, ({ object: { metadata } }) => [`${metadata.namespace}/${metadata.name}`]),
      source(readers.children, ({ object }) => [`edge/${controllerOf(object)?.name}`]),
    ],
    observe: (key) => observe(readers, key),
    decide: () => undefined,
    plan,
    report: () => [],
  };
}

function observe(readers: Readers, key: ObjectKey): Snapshot | undefined {
  const spread = readers.spreads.get(key);
  return spread === undefined
    ? undefined
    : { spread: spread as Stored<Replacing>, children: readers.children.list() };
}

function plan({ spread, children: there }: Snapshot): Plan {
  const { order, version } = spread.spec;
  if (there.length < order.length) return nothingToDo;
  const [victim] = order
    .map((pool) => there.find((child) => poolOf(child) === pool))
    .filter((child) => child !== undefined && child.spec.version < version);
  if (victim === undefined) return nothingToDo;
  const { namespace = '', name, uid } = victim.metadata;
  const why = { word: 'ChildUpdated', message: `${name} is of version ${victim.spec.version}` } as const;
  const key = { namespace, name };
  return {
    stages: [
      {
        name: 'replace',
        steps: [{ do: 'delete', resource: children, key, uid, propagation: 'Background', why }],
      },
    ],
    holds: [],
    targets: [],
  };
}
