import type { StructuralSchema } from '@atoll/api/schema';
import type { KubeObject, Resource, Stored } from '@atoll/kube';
import type { JsonObject } from '../hostile.ts';

/** Objects of one kind, as people who mean it ill write them. */
export interface FuzzedKind {
  readonly resource: Resource<KubeObject>;
  /** Labels, annotations and spec of an object that is served; what is mutated. */
  readonly valid: (name: string) => JsonObject;
  /** Of what is mutated. */
  readonly schema: StructuralSchema;
  /** Tells what is owed: undefined where the operator has answered this generation. */
  readonly unanswered: (object: Stored<KubeObject>) => string | undefined;
}

export interface Answer {
  readonly observedGeneration?: number;
  readonly status?: string;
  readonly conditions?: readonly {
    readonly type?: string;
    readonly status?: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

/** The status; empty before there is one. */
export function answerOf(object: Stored<KubeObject>): Answer {
  return (object as { readonly status?: Answer }).status ?? {};
}

/** Ready is there, and of this generation. */
export function withoutReady(object: Stored<KubeObject>): string | undefined {
  const { observedGeneration, conditions = [] } = answerOf(object);
  const { generation } = object.metadata;
  if (observedGeneration !== generation)
    return `has generation ${generation}, observed is ${observedGeneration}`;
  return conditions.some(({ type }) => type === 'Ready') ? undefined : 'has no condition Ready';
}
