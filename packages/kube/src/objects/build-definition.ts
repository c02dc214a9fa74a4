import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceSubresourceScale,
  CustomResourceValidation,
} from '../types/index.ts';
import type { KubeObject } from './object.ts';
import type { Resource } from './resource.ts';
import { definitionName } from './serving-definition.ts';

/** One version of a kind that is to be served. */
export interface DefinedVersion {
  readonly name: string;
  /** The one version in which objects are stored. */
  readonly storage: boolean;
  /** Of a whole object; must be structural. */
  readonly openAPIV3Schema: NonNullable<CustomResourceValidation['openAPIV3Schema']>;
  /** What `kubectl get` shows. */
  readonly columns?: readonly CustomResourceColumnDefinition[];
  /** What clients of this version are warned of. */
  readonly deprecationWarning?: string | undefined;
}

/** A kind of one's own. */
export interface DefinedKind {
  readonly resource: Resource<KubeObject>;
  readonly versions: readonly DefinedVersion[];
  /** What kubectl takes for the plural. An empty list is not stored, so it would always differ. */
  readonly shortNames?: readonly [string, ...string[]] | undefined;
  /** Groups that `kubectl get` takes, as `all`. */
  readonly categories?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Where the `scale` subresource reads and writes; absent: there is none. */
  readonly scale?: CustomResourceSubresourceScale | undefined;
}

/** The CustomResourceDefinition of a kind, with a `status` subresource, and without conversion between its versions. */
export function buildDefinition(kind: DefinedKind): CustomResourceDefinition {
  const { resource, versions, shortNames, categories, annotations, scale } = kind;
  const { group, plural, namespaced } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: definitionName(resource), ...(annotations !== undefined && { annotations }) },
    spec: {
      group,
      names: {
        kind: resource.kind,
        listKind: `${resource.kind}List`,
        plural,
        singular: resource.kind.toLowerCase(),
        ...(shortNames !== undefined && { shortNames }),
        ...(categories !== undefined && { categories }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      conversion: { strategy: 'None' },
      versions: versions.map(({ name, storage, openAPIV3Schema, columns, deprecationWarning }) => ({
        name,
        served: true,
        storage,
        ...(deprecationWarning !== undefined && { deprecated: true, deprecationWarning }),
        schema: { openAPIV3Schema },
        subresources: { status: {}, ...(scale !== undefined && { scale }) },
        ...(columns !== undefined && { additionalPrinterColumns: columns }),
      })),
    },
  };
}
