import { conditionOf, type StreamingClient } from '@atoll/kube';

export const namespace = 'chaos';

export interface ChaosFleet {
  readonly pools: readonly string[];
  readonly zones: readonly string[];
}

/** Objects of one kind that are changed without end. */
export interface Subject {
  readonly kind: string;
  /** Creates them, as many as were asked for when it was made. */
  create(client: StreamingClient): Promise<void>;
  /** Changes one of them, as a person does; yields what was changed. May reject: then nothing is expected of it. */
  change(client: StreamingClient, random: () => number): Promise<string>;
  /** Yields what is not yet as wanted, a line each. */
  unsettled(client: StreamingClient): Promise<readonly string[]>;
}

export function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}

export function numbered(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
}

/** So many of them, at equal distances. */
export function spread(names: readonly string[], count: number): readonly string[] {
  const step = Math.max(1, Math.floor(names.length / count));
  return names.filter((_, index) => index % step === 0).slice(0, count);
}

interface Conditioned {
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly {
      readonly type?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** undefined: the object reports that it is ready, of its newest spec. */
export function notReady(object: Conditioned): string | undefined {
  const { metadata, status } = object;
  if (status?.observedGeneration !== metadata.generation)
    return `${metadata.name}: its spec was not observed`;
  const ready = conditionOf(object, 'Ready');
  if (ready?.status === 'True') return undefined;
  return `${metadata.name}: Ready=${ready?.status ?? 'absent'} ${ready?.reason ?? ''} ${ready?.message ?? ''}`;
}

/** Yields those of the names that are not among the objects, a line each. */
export function missing(
  names: Iterable<string>,
  objects: readonly { readonly metadata: { readonly name: string } }[],
): readonly string[] {
  const found = new Set(objects.map(({ metadata }) => metadata.name));
  return [...names].filter((name) => !found.has(name)).map((name) => `${name} is gone`);
}

/** The image of the first container of a template. */
export function imageOf(template: unknown): string | undefined {
  const { spec } = (template ?? {}) as {
    readonly spec?: { readonly containers?: readonly { image?: string }[] };
  };
  return spec?.containers?.[0]?.image;
}
