import { compareTexts } from '@atoll/kube';
import type { GaugeSample, KubeObject, Stored } from '@atoll/kube';

type Labels = GaugeSample['labels'];

/** Whose a sample is. */
export function subjectOf({ metadata: { namespace = '', name } }: Stored<KubeObject>): Labels {
  return { namespace, name };
}

/**
 * The labels of an object as labels of a sample. Values are looked up under the keys that the object has (BUG-22). Two keys that become the same
 * name, or that of the subject, would make the whole page unreadable: all but the first get `_conflict1` and so on behind their name.
 */
export function labelsOf(object: Stored<KubeObject>): Labels {
  const labels: Record<string, string> = { ...subjectOf(object) };
  for (const [key, value] of Object.entries(object.metadata.labels ?? {}).toSorted(([a], [b]) =>
    compareTexts(a, b),
  )) {
    labels[freeName(promName(key), labels)] = value;
  }
  return labels;
}

/** Names of labels in Prometheus begin with no digit. */
function promName(key: string): string {
  return key.replaceAll(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');
}

function freeName(name: string, taken: Labels): string {
  if (!Object.hasOwn(taken, name)) return name;
  for (let count = 1; ; count += 1) {
    const other = `${name}_conflict${count}`;
    if (!Object.hasOwn(taken, other)) return other;
  }
}
