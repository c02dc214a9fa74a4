import { kinds } from '@atoll/api/schema';
import { fieldPagePath } from '../fields/field-pages.ts';
import { documentPaths, textOfDocument } from './documents.ts';
import { stepsOf, type DocumentedStep } from './steps-of.ts';

/** A document whose commands a test follows from the first to the last. */
export interface FollowedPage {
  readonly path: string;
  /** The heading before which the test ends. */
  readonly until?: string;
  /** What is in the cluster of a reader of this page. */
  readonly before?: string;
}

/** In the order in which a reader meets them; those of other operators last, which begin with what these left. */
export const followedPages: readonly FollowedPage[] = [
  { path: 'README.md' },
  { path: 'docs/users/quickstart.md' },
  { path: 'docs/users/node-pool.md' },
  { path: 'docs/users/pool-workloads.md' },
  { path: 'docs/users/united-deployment.md' },
  { path: 'docs/users/troubleshooting.md' },
  { path: 'docs/users/conditions-and-events.md' },
  { path: 'docs/users/daemon-sets.md' },
  { path: 'docs/users/extended-daemon-set.md' },
  { path: 'docs/users/kubectl-eds.md' },
  { path: 'docs/users/node-agent.md' },
  ...kinds.map(({ resource }) => ({ path: fieldPagePath(resource.kind) })),
  ...documentPaths()
    .filter((path) => path.startsWith('examples/'))
    .map((path) => ({ path })),
  { path: 'docs/decisions/0007-admission-webhook.md' },
  { path: 'packages/testbed/README.md' },
  { path: 'docs/operating/install.md' },
  { path: 'docs/operating/remove.md', until: '## Keep what runs' },
  { path: 'docs/operating/security.md' },
  { path: 'docs/users/migration-openyurt.md', before: leftBy('kube-system', 'yurt-app-manager', 'yurt') },
  {
    path: 'docs/users/migration-kruise.md',
    before: `${leftBy('kruise-system', 'kruise-controller-manager', 'kruise-validating-webhook-configuration')}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: { name: kruise-mutating-webhook-configuration }
`,
  },
];

export function stepsOfPage({ path, until }: FollowedPage): readonly DocumentedStep[] {
  const text = textOfDocument(path);
  if (until !== undefined && !text.includes(until)) throw new Error(`${path} has no heading ${until}`);
  return stepsOf(until === undefined ? text : text.slice(0, text.indexOf(until))).steps;
}

/** What an older operator has in a cluster, as far as commands name it. */
function leftBy(namespace: string, deployment: string, webhooks: string): string {
  return `
apiVersion: v1
kind: Namespace
metadata: { name: ${namespace} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${deployment}, namespace: ${namespace} }
spec:
  selector: { matchLabels: { app: ${deployment} } }
  template:
    metadata: { labels: { app: ${deployment} } }
    spec: { containers: [{ name: manager, image: 'manager:1' }] }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: ${webhooks} }
`;
}
