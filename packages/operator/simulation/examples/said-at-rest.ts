import { parseKey, type Condition, type KubeObject, type Resource } from '@atoll/kube';
import type { Controller } from '../../src/engine/controller.ts';
import type { Hold } from '../../src/engine/hold.ts';
import type { FreshWorld } from './fresh-world.ts';

interface WithConditions extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly Partial<Pick<Condition, 'type' | 'status' | 'message'>>[];
  };
}

/** What an object at rest says; undefined: nothing, and not all is as it should be. */
export function saidAtRest<Snapshot, Decision extends { readonly holds: readonly Hold[] }>(
  world: FreshWorld,
  controller: Controller<Snapshot, Decision>,
  resource: Resource<WithConditions>,
  key: string,
): string | undefined {
  const snapshot = controller.observe(parseKey(key));
  if (snapshot === undefined) return undefined;
  const decision = controller.decide(snapshot, world.now);
  const { stages, requeueAt } = controller.plan(snapshot, decision, world.now);
  const { conditions } = world.get(resource, parseKey(key)).status ?? {};
  const ready = conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return 'all is done';
  if (ready?.message === undefined || ready.message === '') return undefined;
  if (stages.length > 0) return 'there are steps';
  if (decision.holds.length > 0) return 'there are holds';
  return requeueAt !== undefined && requeueAt > world.now ? 'there is a time' : undefined;
}
