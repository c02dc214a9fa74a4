import { buildDefinition } from '@atoll/kube';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceSubresourceScale,
  KubeObject,
  Resource,
} from '@atoll/kube';
import { z } from 'zod';
import { openYurtGroup } from '../names.ts';
import { rules, type CelRule } from './markers.ts';
import { toStructural, type StructuralSchema } from './to-structural.ts';
import { withNulls } from './with-nulls.ts';
import { keptByTools } from './kept-by-tools.ts';

/** A column of `kubectl get`. Columns of priority 1 show with `-o wide`. */
export type PrinterColumn = CustomResourceColumnDefinition;

/** `kubectl get -o wide` answers "is it done, and if not, why" for every kind. */
export const columnsForEveryKind: readonly PrinterColumn[] = [
  {
    name: 'READY',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: 'True when everything is as in the spec.',
    priority: 1,
  },
  {
    name: 'REASON',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    description: 'Why it is ready, or what it waits for.',
    priority: 1,
  },
];

/** The description of a kind; every served version has the same schema. */
export interface KindDefinition {
  readonly resource: Resource<KubeObject>;
  /** What kubectl takes for the plural; absent: nothing. An empty list is not stored, so it would always differ. */
  readonly shortNames?: readonly [string, ...string[]];
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  /** Rules on the object as a whole; of the metadata they may read `name` only. */
  readonly rootRules?: readonly CelRule[];
  /** The webhooks of an old operator write nulls into the spec ({@link withNulls}). */
  readonly nullsInSpec?: true;
  /** Where the `scale` subresource reads and writes; undefined: there is none. */
  readonly scale?: CustomResourceSubresourceScale;
  readonly versions: readonly VersionDefinition[];
}

export interface VersionDefinition {
  readonly name: string;
  readonly storage: boolean;
  readonly deprecationWarning?: string;
  readonly columns: readonly PrinterColumn[];
}

/** The zod schema of a whole object of the kind: what a manifest of a user may hold. */
export function objectSchema(kind: KindDefinition): z.ZodObject {
  const { group, kind: name } = kind.resource;
  return z.strictObject({
    apiVersion: z.enum(kind.versions.map((version) => `${group}/${version.name}`)),
    kind: z.literal(name),
    metadata: z.looseObject({ name: z.string() }),
    spec: kind.spec,
    status: kind.status.optional(),
  });
}

/**
 * The CustomResourceDefinition of a kind. All versions share one superset schema and the strategy `None`, so that a
 * round trip through any version loses nothing. Throws where the schema is not structural.
 */
export function customResourceDefinition(kind: KindDefinition): CustomResourceDefinition {
  const { resource, shortNames, scale } = kind;
  const openAPIV3Schema = rootSchema(kind);
  return buildDefinition({
    resource,
    shortNames,
    scale,
    categories: ['all', ...(resource.group === openYurtGroup ? ['yurt'] : []), 'atoll'],
    // A definition that goes takes all its objects along, so tools leave it.
    annotations: keptByTools,
    versions: kind.versions.map((version) => ({ ...version, openAPIV3Schema })),
  });
}

function specSchema({ resource, spec, nullsInSpec, scale }: KindDefinition): StructuralSchema {
  const schema = toStructural(spec, `${resource.kind}.spec`);
  if (nullsInSpec !== true) return schema;
  const result = withNulls(schema);
  // What `scale` reads must be a number or absent.
  const { replicas } = schema.properties ?? {};
  if (scale === undefined || replicas === undefined) return result;
  return { ...result, properties: { ...result.properties, replicas } };
}

function rootSchema(kind: KindDefinition): StructuralSchema {
  const name = kind.resource.kind;
  const spec = specSchema(kind);
  return {
    type: 'object',
    description: kind.description,
    properties: {
      apiVersion: {
        type: 'string',
        description: 'The group and version of this object, as in `group/version`.',
      },
      kind: { type: 'string', description: `Always \`${name}\`.` },
      // Rules name the field `.metadata.name`, so it must be in the schema.
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec,
      status: toStructural(kind.status, `${name}.status`),
    },
    ...(spec.default === undefined && { required: ['spec'] }),
    ...(kind.rootRules !== undefined && rules(...kind.rootRules)),
  };
}
