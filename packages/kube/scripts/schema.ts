/** The part of an OpenAPI v3 schema that the API server uses and the generator reads. */
export interface Schema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** The trimmed input of the generator, as it is committed. */
export interface SchemaFile {
  readonly kubernetesVersion: string;
  readonly schemas: Readonly<Record<string, Schema>>;
}

/** The schema that this one stands for, where it does nothing but refer. */
export function refOf(schema: Schema): string | undefined {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  return ref?.slice(ref.lastIndexOf('/') + 1);
}

/** The names of all schemas that this one refers to directly. */
export function refsWithin(schema: Schema): readonly string[] {
  const ref = refOf(schema);
  if (ref !== undefined) return [ref];
  const { items, additionalProperties, properties = {} } = schema;
  const parts = [
    ...Object.values(properties),
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  return parts.flatMap(refsWithin);
}
