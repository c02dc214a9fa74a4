import { join } from 'node:path';
import type { GoTool } from '@atoll/testbed';

const folder = join(import.meta.dirname, '..', 'tools');

/** Programs of others that tests judge our files with, each pinned by a Go module below `tools/`. */
export const goTools = {
  helm: { name: 'helm', folder: join(folder, 'helm'), goPackage: 'helm.sh/helm/v4/cmd/helm' },
} as const satisfies Readonly<Record<string, GoTool>>;
