import type { Component, Violation } from '@atoll/testbed';

type Program = Pick<Component, 'name' | 'pid' | 'lastExit' | 'lastWords'>;

/** All programs of a run, the operators and agents among them. */
export interface Programs {
  readonly components: readonly Program[];
  /** Operators may end, as without their lease, and are started again. */
  readonly replicas: readonly { readonly component: Pick<Component, 'name'> }[];
  /** With the process that was started last. */
  readonly agents: readonly {
    readonly component: Pick<Component, 'name'>;
    readonly pid: number | undefined;
  }[];
}

/**
 * The programs that ended by themselves and do not run. The control plane starts a scheduler again; nobody starts the others
 * but the fault that ended them.
 */
export function endedPrograms({ components, replicas, agents }: Programs): readonly Violation[] {
  const operators = new Set(replicas.map(({ component }) => component.name));
  const started = new Map(agents.map(({ component, pid }) => [component.name, pid]));
  return components
    .filter(({ name }) => !operators.has(name))
    .filter(({ name, pid }) => pid === undefined || (started.has(name) && started.get(name) !== pid))
    .map((program) => {
      const { name, lastExit } = program;
      const how = lastExit?.signal ?? `exit code ${lastExit?.code ?? 'unknown'}`;
      return {
        rule: 'programs do not end by themselves',
        message: `${name} ended (${how}): ${program.lastWords()}`,
      };
    });
}

/** The programs that ended by themselves and were started again since these counts were taken. */
export function restartedSince(
  counts: ReadonlyMap<string, number>,
  components: readonly Pick<Component, 'name' | 'restarts'>[],
): readonly string[] {
  return components
    .filter(({ name, restarts }) => restarts > (counts.get(name) ?? 0))
    .map(({ name }) => name);
}

export function restartsOf(
  components: readonly Pick<Component, 'name' | 'restarts'>[],
): ReadonlyMap<string, number> {
  return new Map(components.map(({ name, restarts }) => [name, restarts]));
}
