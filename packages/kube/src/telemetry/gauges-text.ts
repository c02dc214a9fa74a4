/** One gauge, with a sample for each combination of labels that is there now. */
export interface GaugeFamily {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly GaugeSample[];
}

/** One value of a gauge. */
export interface GaugeSample {
  /** In the order in which they are to be written. Names are valid for Prometheus; values may be any text. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Gauges in Prometheus' text format 0.0.4. For gauges that are computed when they are read and whose labels differ from sample to sample, which
 * a registry cannot hold.
 */
export function gaugesText(families: readonly GaugeFamily[]): string {
  return families
    .map(({ name, help, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}${labelsText(labels)} ${value}\n`);
      return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} gauge\n${lines.join('')}`;
    })
    .join('');
}

function labelsText(labels: GaugeSample['labels']): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
