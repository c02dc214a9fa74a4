import type { GaugeFamily, KubeObject, Reader, Stored } from '@atoll/kube';
import { readableSamples, whereReadable } from './readable.ts';

/** The figures of one object in the metrics. A number that its kind does not have is absent. */
export interface ObjectFigures {
  /** Pods that there are to be; of a pool, nodes. */
  readonly desired: number | undefined;
  /** Those of the current template. */
  readonly updated?: number | undefined;
  readonly available: number | undefined;
  /** The reason word of what it waits for; absent: nothing. */
  readonly waitsFor: string | undefined;
  /** How a canary stands; absent: there is none. */
  readonly canary?: 'active' | 'paused' | 'failed' | undefined;
}

/** The figures of an object; undefined: the controller does not look after it. */
export type FiguresOf<T extends KubeObject> = (object: Stored<T>) => ObjectFigures | undefined;

/** The objects of one controller with their figures, computed when metrics are read. */
export interface ControllerFigures {
  readonly controller: string;
  readonly objects: readonly NamedFigures[];
}

export interface NamedFigures extends ObjectFigures {
  readonly namespace: string;
  readonly name: string;
}

/** So many objects of one controller have series of their own: a fleet must not fill the store of Prometheus. */
export const figuresPerController = 1_000;

export function figuresOf<T extends KubeObject>(
  reader: Pick<Reader<T>, 'list' | 'synced'>,
  of: FiguresOf<T>,
): readonly NamedFigures[] {
  // Without samples while it is not known which objects there are.
  if (!reader.synced) return [];
  return reader.list().flatMap((object) => {
    const { figures } = whereReadable(() => ({ figures: of(object) })) ?? { figures: unreadable };
    const { namespace = '', name } = object.metadata;
    return figures === undefined ? [] : [{ namespace, name, ...figures }];
  });
}

/** It counts as an object. */
const unreadable: ObjectFigures = { desired: undefined, available: undefined, waitsFor: undefined };

/** The reason of a condition that is not True; undefined where it is, or where it was not written yet. */
export function reasonUnlessTrue(
  conditions: readonly { readonly type?: string; readonly status?: string; readonly reason?: string }[] = [],
  type = 'Ready',
): string | undefined {
  const found = conditions.find((condition) => condition.type === type);
  return found === undefined || found.status === 'True' ? undefined : found.reason;
}

/** The metrics `atoll_object_*`. Of more than {@link figuresPerController} objects those that wait for something are named first. */
export function figureFamilies(controllers: readonly ControllerFigures[]): readonly GaugeFamily[] {
  const named = controllers.flatMap(({ controller, objects }) =>
    objects
      .toSorted((a, b) => Number(a.waitsFor === undefined) - Number(b.waitsFor === undefined))
      .slice(0, figuresPerController)
      .map((object) => ({
        ...object,
        labels: { controller, namespace: object.namespace, name: object.name },
      })),
  );
  const numbers = (field: 'desired' | 'updated' | 'available'): GaugeFamily['samples'] =>
    named.flatMap(({ labels, [field]: value }) => (value === undefined ? [] : [{ labels, value }]));
  const families: readonly GaugeFamily[] = [
    {
      name: 'atoll_objects',
      help: 'Objects of a controller.',
      samples: controllers.map(({ controller, objects }) => ({
        labels: { controller },
        value: objects.length,
      })),
    },
    {
      name: 'atoll_objects_unnamed',
      help: `Objects of a controller beyond the ${figuresPerController} that atoll_object_* name: those that wait for something are named first.`,
      samples: controllers.map(({ controller, objects }) => ({
        labels: { controller },
        value: Math.max(0, objects.length - figuresPerController),
      })),
    },
    {
      name: 'atoll_object_desired',
      help: 'Pods that an object is to have; of a NodePool, its nodes.',
      samples: numbers('desired'),
    },
    {
      name: 'atoll_object_updated',
      help: 'Pods of the current template of an object, or of its canary while there is one.',
      samples: numbers('updated'),
    },
    {
      name: 'atoll_object_available',
      help: 'Available pods of an object; of a NodePool, its nodes that are Ready.',
      samples: numbers('available'),
    },
    {
      name: 'atoll_object_waits',
      help: '1 for each object that is not Ready; waits_for is the reason word of its condition.',
      samples: named.flatMap(({ labels, waitsFor }) =>
        waitsFor === undefined ? [] : [{ labels: { ...labels, waits_for: waitsFor }, value: 1 }],
      ),
    },
    {
      name: 'atoll_object_canary',
      help: '1 for each object with a canary; state: active, paused or failed.',
      samples: named.flatMap(({ labels, canary }) =>
        canary === undefined ? [] : [{ labels: { ...labels, state: canary }, value: 1 }],
      ),
    },
  ];
  return families.map((family) => ({ ...family, samples: readableSamples(family.samples) }));
}
