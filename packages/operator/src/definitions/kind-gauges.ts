import type { GaugeFamily, GaugePages } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import type { GaugeSources, KindDefinition } from './kind-definition.ts';
import { figureFamilies } from './object-figures.ts';

/** The gauges of all kinds, by page. A kind that is not selected has none. */
export function kindGauges(
  selected: readonly KindDefinition[],
  readers: Readers,
  sources: GaugeSources,
): GaugePages {
  const withFigures = selected.flatMap(({ name, figures }) =>
    figures === undefined ? [] : [{ name, figures }],
  );
  const pages = new Map<string, () => readonly GaugeFamily[]>();
  if (withFigures.length > 0) {
    pages.set('metrics', () =>
      figureFamilies(
        withFigures.map(({ name, figures }) => ({ controller: name, objects: figures(readers) })),
      ),
    );
  }
  for (const { gauges } of selected) {
    for (const [page, families] of gauges?.(readers, sources) ?? []) {
      const before = pages.get(page);
      pages.set(page, before === undefined ? families : () => [...before(), ...families()]);
    }
  }
  return pages;
}
