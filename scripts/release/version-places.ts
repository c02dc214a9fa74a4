import { globSync } from 'node:fs';
import { root } from '../checks.ts';

/** The files that name the version of this project, but for those that `npm run generate` and npm write. */
export function filesWithVersion(): readonly string[] {
  return [
    'package.json',
    'bench/package.json',
    ...globSync('packages/*/package.json', { cwd: root }).toSorted(),
    'deploy/helm/atoll/Chart.yaml',
    ...globSync('deploy/images/*.Dockerfile', { cwd: root }).toSorted(),
    'packages/api/src/install/node-agent-daemon-set.ts',
    'packages/api/src/install/operator-deployment.ts',
    'packages/kube/README.md',
    'docs/users/kubectl-eds.md',
    'docs/operating/install.md',
    'scripts/commands/handled-commands.ts',
  ];
}

/** Before a version of ours: a field of `package.json`, Chart or image; the name of an image, an archive or a package. */
const place =
  /((?:"(?:version|@atoll\/\w+)": "|^(?:v|appV)ersion: |image\.version="|\/?(?:atoll-\w+|kubectl-eds)[:-]))(\d+\.\d+\.\d+)/gm;

export function versionsIn(text: string): readonly string[] {
  return [...text.matchAll(place)].map(([, , version = '']) => version);
}

export function withVersion(text: string, version: string): string {
  return text.replaceAll(place, (_, before: string) => before + version);
}
