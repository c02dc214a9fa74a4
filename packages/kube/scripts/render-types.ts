import { renamedSchemas, replacedSchemas, typeSources, type TypeSource } from './kinds.ts';
import { refOf, refsWithin, type Schema, type SchemaFile } from './schema.ts';

/** The text of every file below `src/types/`, by file name. */
export function renderTypes(input: SchemaFile): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const source of typeSources) {
    const names = Object.keys(input.schemas).filter((name) => sourceOf(name) === source);
    files.set(`${source.file}.ts`, renderFile(input, source, names));
  }
  const barrel = typeSources.map((source) => `export type * from './${source.file}.ts';`).toSorted();
  files.set('index.ts', `${header(input)}\n${barrel.join('\n')}\n`);
  return files;
}

function header(input: SchemaFile): string {
  return `// Generated from the OpenAPI document of Kubernetes ${input.kubernetesVersion} by scripts/generate-types.ts. Do not edit.\n`;
}

function renderFile(input: SchemaFile, source: TypeSource, names: readonly string[]): string {
  const used = new Map<string, Set<string>>();
  const use = (file: string, name: string): void => {
    used.set(file, (used.get(file) ?? new Set()).add(name));
  };
  for (const name of names) {
    const schema = input.schemas[name] ?? {};
    const topLevel = isTopLevel(source, name);
    if (topLevel) use('../objects/object.ts', 'KubeObject');
    for (const ref of refsWithin(topLevel ? ownPart(schema) : schema)) {
      const replaced = replacedSchemas[ref];
      if (replaced === undefined) {
        const from = sourceOf(ref);
        if (from !== source) use(`./${from.file}.ts`, typeName(ref));
      } else if (replaced === 'ObjectMeta' || replaced === 'OwnerReference') {
        use('../objects/object.ts', replaced);
      }
    }
  }
  const imports = [...used]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, types]) => `import type { ${[...types].toSorted().join(', ')} } from '${file}';`);
  const bodies = names.map((name) => renderInterface(input, source, name));
  return [header(input), imports.join('\n'), ...bodies].filter((part) => part !== '').join('\n') + '\n';
}

function renderInterface(input: SchemaFile, source: TypeSource, name: string): string {
  const schema = input.schemas[name] ?? {};
  const topLevel = isTopLevel(source, name);
  const lines = [
    ...comment('', schema.description),
    `export interface ${typeName(name)}${topLevel ? ' extends KubeObject' : ''} {`,
  ];
  for (const [field, property] of Object.entries((topLevel ? ownPart(schema) : schema).properties ?? {})) {
    const optional = schema.required?.includes(field) === true ? '' : '?';
    const key = /^[A-Za-z_][A-Za-z0-9_]*$/.test(field) ? field : `'${field}'`;
    lines.push(...comment('  ', property.description), `  readonly ${key}${optional}: ${typeOf(property)};`);
  }
  return `\n${lines.join('\n')}\n}`;
}

/** What a kind adds to KubeObject. */
function ownPart(schema: Schema): Schema {
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

function typeOf(schema: Schema): string {
  const ref = refOf(schema);
  if (ref !== undefined) {
    const replaced = replacedSchemas[ref];
    // Metadata inside another object (a pod template) needs no name.
    return replaced === 'ObjectMeta' ? 'Partial<ObjectMeta>' : (replaced ?? typeName(ref));
  }
  switch (schema.type) {
    case 'array': {
      const item = typeOf(schema.items ?? {});
      return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
    }
    case 'object':
      return typeof schema.additionalProperties === 'object'
        ? `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`
        : 'Readonly<Record<string, unknown>>';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    case undefined:
      return 'unknown';
    default:
      throw new Error(`unknown type ${JSON.stringify(schema.type)} in the OpenAPI document`);
  }
}

function comment(indent: string, text: string | undefined): readonly string[] {
  return text === undefined ? [] : [`${indent}/** ${text} */`];
}

function isTopLevel(source: TypeSource, name: string): boolean {
  return source.kinds.includes(name.slice(source.schemaPrefix.length));
}

function sourceOf(name: string): TypeSource {
  const source = typeSources.find((each) => name.startsWith(each.schemaPrefix));
  if (source === undefined) throw new Error(`no file of types is named for the schema ${name}`);
  return source;
}

function typeName(name: string): string {
  return renamedSchemas[name] ?? name.slice(name.lastIndexOf('.') + 1);
}
