import { join } from 'node:path';
import type { GoTool } from '@atoll/testbed';

const folder = join(import.meta.dirname, '..', 'tools');

/** Programs of others that tests judge our files with, each pinned by a Go module below `tools/`. */
export const goTools = {
  helm: { name: 'helm', folder: join(folder, 'helm'), goPackage: 'helm.sh/helm/v4/cmd/helm' },
  promtool: {
    name: 'promtool',
    folder: join(folder, 'promtool'),
    goPackage: 'github.com/prometheus/prometheus/cmd/promtool',
    // Without the clients of clouds in which Prometheus finds what to scrape.
    tags: ['remove_all_sd'],
  },
  krew: { name: 'krew', folder: join(folder, 'krew'), goPackage: 'sigs.k8s.io/krew/cmd/krew' },
  krewValidator: {
    name: 'validate-krew-manifest',
    folder: join(folder, 'krew'),
    goPackage: 'sigs.k8s.io/krew/cmd/validate-krew-manifest',
  },
  /** Makes a configuration of Prometheus of ServiceMonitors and PrometheusRules. */
  prometheusOperator: {
    name: 'prometheus-operator',
    folder: join(folder, 'prometheus-operator'),
    goPackage: 'github.com/prometheus-operator/prometheus-operator/cmd/operator',
  },
  /** The operator that ours takes over from: its last release that the module proxy has, and that is no candidate for one. */
  extendedDaemonSet: {
    name: 'eds-controller',
    folder: join(folder, 'extendeddaemonset'),
    goPackage: 'github.com/DataDog/extendeddaemonset',
  },
  /** Ours: asks the code of Flux, Helm and Argo CD for the health of objects. */
  health: { name: 'health', folder: join(folder, 'health'), goPackage: '.', sources: ['main.go'] },
} as const satisfies Readonly<Record<string, GoTool>>;
