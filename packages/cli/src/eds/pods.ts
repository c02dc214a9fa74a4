import { Command, Option } from 'commander';
import type { ExtendedDaemonSet } from '@atoll/api';
import type { ContainerStatus, Pod, Stored } from '@atoll/kube';
import { edsArgument } from '../completion/object-argument.ts';
import { age } from '../output/age.ts';
import { printed, withFormat, type Format } from '../output/formats.ts';
import { table } from '../output/table.ts';
import { connect, withConnection, type Connection } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { canaryOf, readObject } from './objects.ts';

const headings = [
  'Pod',
  'Ready',
  'Phase',
  'Reason',
  'Not ready containers',
  'Restarts',
  'Node',
  'Node Ready',
  'Age',
];

const wideHeadings = ['Pod IP', 'Replica set', 'Images'];

type Selected = 'canary' | 'not-ready';

export function podsCommand(context: CommandContext): Command {
  const command = new Command('pods')
    .description('list pods of an ExtendedDaemonSet')
    .addArgument(edsArgument());
  command.addOption(
    new Option('--select <which>', 'those of the canary, or all that are not ready')
      .choices(['canary', 'not-ready'])
      .makeOptionMandatory(),
  );
  return withFormat(withConnection(command)).action(async (name: string, { select }: { select: Selected }) =>
    showPods(name, select, command, context),
  );
}

export function canaryPodsCommand(context: CommandContext): Command {
  const command = new Command('pods').description('list the pods of the canary').addArgument(edsArgument());
  return withFormat(withConnection(command)).action(async (name: string) =>
    showPods(name, 'canary', command, context),
  );
}

async function showPods(
  name: string,
  select: Selected,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const { output = 'table', showManagedFields = false } = command.opts<{
    readonly output?: Format;
    readonly showManagedFields?: boolean;
  }>();
  await using connection = await connect(command, context);
  const object = await readObject(connection, name);
  const { extendedDaemonSetLabels: labels } = await import('@atoll/api');
  const { asLabelValue, compareTexts, pods } = await import('@atoll/kube');
  const labelSelector =
    select === 'canary'
      ? `${labels.name}=${asLabelValue(name)},${labels.replicaSet}=${canaryOf(object)}`
      : `${labels.name}=${asLabelValue(name)}`;
  const { items } = await connection.client.list(pods, { namespace: connection.namespace, labelSelector });
  const found = select === 'canary' ? items : items.filter((pod) => whyNotReady(pod) !== undefined);
  const sorted = found.toSorted((a, b) => compareTexts(a.metadata.name, b.metadata.name));
  if (output === 'json' || output === 'yaml') {
    const withKind = sorted.map((pod) => ({ apiVersion: 'v1', kind: 'Pod', ...pod }));
    context.print(await printed(withKind, output, { isOne: false, managedFields: showManagedFields }));
    return;
  }
  if (sorted.length === 0) {
    context.note(select === 'canary' ? 'The canary has no pods.' : allReady(object, items.length));
    return;
  }
  if (output === 'name') {
    context.print(sorted.map(({ metadata }) => `pod/${metadata.name}`).join('\n'));
    return;
  }
  const ready = await readyNodes(connection);
  const isWide = output === 'wide';
  const rows = sorted.map((pod) => [
    ...podRow(pod, ready, Date.now()),
    ...(isWide ? wideRow(pod, labels.replicaSet) : []),
  ]);
  context.print(table([...headings, ...(isWide ? wideHeadings : [])], rows));
}

function wideRow({ metadata, spec, status }: Stored<Pod>, replicaSetLabel: string): readonly string[] {
  return [
    status?.podIP ?? '<none>',
    metadata.labels?.[replicaSetLabel] ?? '<none>',
    (spec?.containers ?? []).map(({ image }) => image ?? '').join(', '),
  ];
}

/** One line of the table. `ready`: which nodes are Ready. */
function podRow(pod: Stored<Pod>, ready: ReadonlyMap<string, boolean>, now: number): readonly string[] {
  const statuses: readonly ContainerStatus[] = pod.status?.containerStatuses ?? [];
  const count = pod.spec?.containers.length ?? 0;
  const node = pod.spec?.nodeName ?? '';
  return [
    pod.metadata.name,
    `${statuses.filter((each) => each.ready).length}/${count}`,
    pod.status?.phase ?? '',
    whyNotReady(pod) ?? '',
    statuses
      .filter((each) => !each.ready)
      .map((each) => each.name)
      .join(', '),
    String(statuses.reduce((sum, { restartCount }) => sum + restartCount, 0)),
    node,
    String(ready.get(node) ?? 'Unknown'),
    age(pod.metadata.creationTimestamp, now),
  ];
}

/** That no pod is shown is no proof that each node has one. */
function allReady(object: Stored<ExtendedDaemonSet>, count: number): string {
  const { desired = 0 } = object.status ?? {};
  if (count >= desired) return 'All pods are ready.';
  const { name, namespace = '' } = object.metadata;
  return `All pods that are there are ready. Nodes without a pod: ${desired - count} of ${desired}. See why: kubectl describe eds ${name} -n ${namespace}`;
}

/** undefined: it runs and is Ready, and nobody has deleted it. */
function whyNotReady({ metadata, status }: Pod): string | undefined {
  if (metadata?.deletionTimestamp !== undefined) return 'Terminating';
  if (status?.phase !== 'Running') return status?.reason ?? '';
  const condition = status.conditions?.find(({ type }) => type === 'Ready');
  return condition?.status === 'True' ? undefined : (condition?.reason ?? '');
}

async function readyNodes({ client }: Connection): Promise<ReadonlyMap<string, boolean>> {
  const { isApiError, isReady, nodes } = await import('@atoll/kube');
  try {
    const { items } = await client.list(nodes);
    return new Map(items.map((node) => [node.metadata.name, isReady(node)]));
  } catch (error) {
    // Who may not read nodes sees the pods all the same.
    if (isApiError(error, 'Forbidden')) return new Map();
    throw error;
  }
}
