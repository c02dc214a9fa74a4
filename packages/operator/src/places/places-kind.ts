import type { KubeObject, Resource } from '@atoll/kube';

/** What is particular to a kind whose objects keep a child in each of their places, as far as data can express it. */
export interface PlacesKind<Kind extends string = string> {
  /** For messages: `pool`, `subset`. */
  readonly place: string;
  /** For messages: `pools`, `subsets`. */
  readonly places: string;
  /** The kinds that a child can be of. */
  readonly childKinds: readonly Kind[];
  readonly resourceOf: (kind: Kind) => Resource<KubeObject>;
  /** The label of children that names their place. */
  readonly placeLabel: string;
  /** The label of children that names the revision that they are made of. */
  readonly revisionLabel: string;
  /** The reason of events about a refused change of a child; users of old operators filter by it. */
  readonly eventReason: string;
  /** The same about a refused creation; undefined: the engine's own word. */
  readonly createEventReason?: string;
  /** The condition whose transition time shows since when something is wrong. */
  readonly troubleCondition: { readonly type: string; readonly status: 'True' | 'False' };
}
