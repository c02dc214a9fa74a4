import { stringify } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { oldestNode } from './oldest-node.ts';

/** The manifest of the kubectl plugin `eds` for krew, whose users install it by name from an index, or from this file. */
export function krewManifest(archive: { readonly uri: string; readonly sha256: string }): string {
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'eds' },
    spec: {
      version: `v${packageJson.version}`,
      shortDescription: 'Look at ExtendedDaemonSets and steer their canaries',
      description: [
        'Lists ExtendedDaemonSets, their replica sets and pods, and promotes, pauses,',
        "fails or freezes canaries and rollouts. It works with Atoll and with Datadog's operator.",
      ].join('\n'),
      caveats: `Node.js ${oldestNode} or newer must be on the PATH as node.`,
      platforms: [
        {
          selector: { matchExpressions: [{ key: 'os', operator: 'In', values: ['linux', 'darwin'] }] },
          ...archive,
          bin: 'kubectl-eds',
        },
      ],
    },
  });
}
