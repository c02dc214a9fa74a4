import { parseAllDocuments } from 'yaml';
import { ConfigFields } from './config-fields.ts';
import { CredentialError } from './credential-error.ts';

/** One kubeconfig file, or several merged: its entries by name, each knowing the file it came from. */
export interface Kubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, ConfigFields>;
  readonly clusters: ReadonlyMap<string, ConfigFields>;
  readonly users: ReadonlyMap<string, ConfigFields>;
}

/** Reads the text of a kubeconfig file (YAML or JSON); throws a {@link CredentialError}. */
export function parseKubeconfig(file: string, text: string): Kubeconfig {
  const fields = new ConfigFields(file, '', readYaml(file, text));
  const kind = fields.text('kind');
  if (kind !== undefined && kind !== 'Config') fields.fail('kind', kind, 'Config');
  const apiVersion = fields.text('apiVersion');
  if (apiVersion !== undefined && apiVersion !== 'v1') fields.fail('apiVersion', apiVersion, 'v1');
  return {
    files: [file],
    currentContext: fields.text('current-context'),
    contexts: byName(fields, 'contexts', 'context'),
    clusters: byName(fields, 'clusters', 'cluster'),
    users: byName(fields, 'users', 'user'),
  };
}

function readYaml(file: string, text: string): unknown {
  try {
    // kubectl reads YAML 1.1, which has `<<`, of several documents the first, and of a key that is there twice the last value.
    const [document] = parseAllDocuments(text, { logLevel: 'error', merge: true, uniqueKeys: false });
    const problem = document?.errors[0];
    if (problem !== undefined) throw problem;
    // Throws where an alias has no anchor, or would be repeated without measure.
    return document?.toJS();
  } catch (cause) {
    const [line = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
    throw new CredentialError(`${file}: is not YAML: ${line.replace(/:$/, '')}`, { cause });
  }
}

/**
 * kubectl's rule: the first file that sets a value or an entry wins, whole entries, nothing is mixed
 * (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files).
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const merged = (
    pick: (config: Kubeconfig) => ReadonlyMap<string, ConfigFields>,
  ): ReadonlyMap<string, ConfigFields> =>
    new Map(configs.toReversed().flatMap((config) => [...pick(config)]));
  return {
    files: configs.flatMap((config) => config.files),
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
    contexts: merged((config) => config.contexts),
    clusters: merged((config) => config.clusters),
    users: merged((config) => config.users),
  };
}

function byName(fields: ConfigFields, list: string, content: string): ReadonlyMap<string, ConfigFields> {
  const entries = new Map<string, ConfigFields>();
  for (const entry of fields.children(list)) {
    const name = entry.requiredText('name');
    // kubectl keeps the first of two entries with one name.
    if (!entries.has(name)) {
      entries.set(
        name,
        new ConfigFields(fields.file, `${list}[name=${name}].${content}`, entry.raw(content)),
      );
    }
  }
  return entries;
}
