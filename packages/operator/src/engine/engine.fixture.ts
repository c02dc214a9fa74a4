import { apiVersionOf, boundedWrites, silentLogger, systemClock } from '@atoll/kube';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import type { TestServer } from '@atoll/kube/testing';
import { Announcer, type EngineMetrics } from './announce.ts';
import { deletion } from './steps/deletion.ts';
import { Executor, type ExecutorOptions, type Work } from './executor/execute.ts';
import type { ExecutorClient } from './executor/requests/requests.ts';
import { nothingToDo, type Plan } from './plan.ts';
import type { ReconcileDeps } from './reconcile/reconcile-deps.ts';
import type { Step } from './step.ts';

export const noMetrics: EngineMetrics = { steps() {}, holds() {}, held() {} };

/** An object of the namespace `edge` as the API server stores it, with the uid `uid-NAME`. */
export function stored<T extends KubeObject>(
  resource: Resource<T>,
  name: string,
  resourceVersion: string,
  metadata: object = {},
): Stored<T> {
  const { kind } = resource;
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const identity = { namespace: 'edge', name, uid: `uid-${name}`, resourceVersion, creationTimestamp };
  return {
    apiVersion: apiVersionOf(resource),
    kind,
    metadata: { ...identity, ...metadata },
  } as unknown as Stored<T>;
}

/** A client of a server as the operator has it: a write leaves in time or never. */
export function clientOf(server: TestServer): ExecutorClient {
  return boundedWrites(server.client(), { clock: systemClock, sendWithinMs: 4_000 });
}

/** An executor of a leader whose controllers declare all that they write. Without `cacheOf` nothing is cached. */
export function executorOf(options: Pick<ExecutorOptions, 'client'> & Partial<ExecutorOptions>): Executor {
  return new Executor({
    cacheOf: () => undefined,
    undeclared: () => undefined,
    clock: systemClock,
    mayWrite: () => true,
    fieldManager: 'atoll',
    recordEvent: () => undefined,
    ...options,
  });
}

/** What a reconcile needs, with an executor as {@link executorOf} makes it. What is recorded goes to one place. */
export function reconcileDeps(
  options: Pick<ExecutorOptions, 'client'> & Partial<ExecutorOptions> & Pick<ReconcileDeps, 'cacheOf'>,
): ReconcileDeps {
  const { clock = systemClock, cacheOf, recordEvent = () => undefined } = options;
  return {
    clock,
    cacheOf,
    executor: executorOf(options),
    announcer: new Announcer({ log: silentLogger, recordEvent, metrics: noMetrics }),
    signal: new AbortController().signal,
  };
}

/** A plan of one stage. */
export function planOf(...steps: readonly Step[]): Plan {
  return { ...nothingToDo, stages: [{ name: 'stage', steps }] };
}

/** On behalf of a key of some controller. */
export function workOn(key: string): Work {
  return { controller: 'some', key, signal: new AbortController().signal };
}

/** Deletes this object, and none that has its name after it. */
export function deletes<T extends KubeObject>(
  resource: Resource<T>,
  object: Stored<T>,
  more: object = {},
): Step {
  const why = { word: 'PodOutdated', message: 'its template is another one' } as const;
  return { ...deletion(resource, object), why, ...more };
}
