import { Command, Option } from 'commander';
import type { ExtendedDaemonSet } from '@atoll/api';
import type { Pod, Stored } from '@atoll/kube';
import { edsArgument } from '../completion/object-argument.ts';
import { printed, refuseWithoutWatch, withWatch, type ListFlags } from '../output/formats.ts';
import { connect, withConnection, type Connection } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { readNodeReadiness, unknownReadiness } from './node-readiness.ts';
import { canaryOf, readObject } from './objects.ts';
import { podTable, whyNotReady } from './pod-table.ts';
import { printedOf, showing, withKind } from './showing.ts';

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
  return listingPods(command, context);
}

export function canaryPodsCommand(context: CommandContext): Command {
  const command = new Command('pods').description('list the pods of the canary').addArgument(edsArgument());
  return listingPods(command, context);
}

function listingPods(command: Command, context: CommandContext): Command {
  withWatch(
    withConnection(command),
    'what changes, is deleted or not selected any more',
    ' (or not selected any more)',
  );
  return command.action(async (name: string, { select = 'canary', ...flags }: Flags) => {
    refuseWithoutWatch(command, flags);
    await using connection = await connect(command, context);
    await showPods(name, select, flags, connection, context);
  });
}

interface Flags extends ListFlags {
  readonly select?: Selected;
}

async function showPods(
  name: string,
  select: Selected,
  flags: ListFlags,
  connection: Connection,
  context: CommandContext,
): Promise<void> {
  const { output = 'table', watch = false, showManagedFields = false } = flags;
  const object = await readObject(connection, name);
  const { extendedDaemonSetLabels: labels } = await import('@atoll/api');
  const { asLabelValue, compareTexts, pods } = await import('@atoll/kube');
  const labelSelector =
    select === 'canary'
      ? `${labels.name}=${asLabelValue(name)},${labels.replicaSet}=${canaryOf(object)}`
      : `${labels.name}=${asLabelValue(name)}`;
  const isSelected = (pod: Stored<Pod>): boolean => select === 'canary' || whyNotReady(pod) !== undefined;
  const { client, namespace } = connection;
  const within = { namespace, labelSelector };
  const { items } = await client.list(pods, within);
  const found = items.filter(isSelected).toSorted((a, b) => compareTexts(a.metadata.name, b.metadata.name));
  if (!watch && (output === 'json' || output === 'yaml')) {
    const objects = found.map((pod) => withKind(pods, pod));
    context.print(await printed(objects, output, { isOne: false, managedFields: showManagedFields }));
    return;
  }
  if (found.length === 0)
    context.note(select === 'canary' ? 'The canary has no pods.' : allReady(object, items.length));
  const isTable = output === 'table' || output === 'wide';
  const readyNodes =
    isTable && (watch || found.length > 0) ? await readNodeReadiness(connection) : unknownReadiness;
  const table = podTable(readyNodes, labels.replicaSet);
  const show = showing(table, pods, flags);
  if (found.length > 0)
    context.print(await show(found.map((pod) => ({ type: 'ADDED', object: pod }) as const)));
  if (!watch) return;
  const { printChanges } = await import('./watch/print-changes.ts');
  const { watchPods } = await import('./watch-pods.ts');
  const { noteCanaryEnd } = await import('./canary-end.ts');
  const noteEnd = async (signal: AbortSignal) => noteCanaryEnd(connection, object, context.note, signal);
  const beside = { readyNodes, ...(select === 'canary' ? { also: noteEnd } : {}) };
  const changesOf = { isSelected, printedOf: printedOf(table, output) };
  await printChanges(context, show, async (watching) => {
    const of = { client, ...within, managedFields: showManagedFields };
    await watchPods(of, changesOf, { all: items, selected: found }, beside, watching);
  });
}

/** That no pod is shown is no proof that each node has one. */
function allReady(object: Stored<ExtendedDaemonSet>, count: number): string {
  const { desired = 0 } = object.status ?? {};
  if (count >= desired) return 'All pods are ready.';
  const { name, namespace = '' } = object.metadata;
  return `All pods that are there are ready. Nodes without a pod: ${desired - count} of ${desired}. See why: kubectl describe eds ${name} -n ${namespace}`;
}
