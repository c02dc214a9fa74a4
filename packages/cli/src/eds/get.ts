import { Command } from 'commander';
import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import { age } from '../output/age.ts';
import type { CommandContext } from '../program/run-program.ts';
import { listing, type Listed } from './list-command.ts';

const listedObjects: Listed<ExtendedDaemonSet> = {
  resource: async () => (await import('@atoll/api')).extendedDaemonSets,
  headings: [
    'Namespace',
    'Name',
    'Desired',
    'Current',
    'Ready',
    'Up-to-date',
    'Available',
    'Ignored Unresponsive Nodes',
    'Status',
    'Reason',
    'Active RS',
    'Canary RS',
    'Age',
  ],
  wideHeadings: ['Canary nodes', 'Node selector'],
  row: ({ metadata, status }, now) => [
    metadata.namespace ?? '',
    metadata.name,
    count(status?.desired),
    count(status?.current),
    count(status?.ready),
    count(status?.upToDate),
    count(status?.available),
    count(status?.ignoredUnresponsiveNodes),
    status?.state ?? '',
    status?.reason ?? '',
    status?.activeReplicaSet ?? '',
    status?.canary?.replicaSet ?? '-',
    age(metadata.creationTimestamp, now),
  ],
  wideRow: ({ spec, status }) => [
    (status?.canary?.nodes ?? []).join(', ') || '-',
    selectorText(spec.selector),
  ],
};

const listedReplicaSets: Listed<ExtendedDaemonSetReplicaSet> = {
  resource: async () => (await import('@atoll/api')).extendedDaemonSetReplicaSets,
  headings: [
    'Namespace',
    'Name',
    'Desired',
    'Current',
    'Ready',
    'Available',
    'Ignored Unresponsive Nodes',
    'Status',
    'Age',
  ],
  wideHeadings: ['Node selector', 'Images'],
  row: ({ metadata, status }, now) => [
    metadata.namespace ?? '',
    metadata.name,
    count(status?.desired),
    count(status?.current),
    count(status?.ready),
    count(status?.available),
    count(status?.ignoredUnresponsiveNodes),
    status?.status ?? '',
    age(metadata.creationTimestamp, now),
  ],
  wideRow: ({ spec }) => [
    selectorText(spec.selector),
    (spec.template.spec?.containers ?? []).map(({ image }) => image ?? '').join(', '),
  ],
};

export function getCommand(context: CommandContext): Command {
  return listing(new Command('get').description('list ExtendedDaemonSets'), listedObjects, context);
}

export function getReplicaSetsCommand(context: CommandContext): Command {
  const command = new Command('get-ers').description('list the replica sets of ExtendedDaemonSets');
  return listing(command, listedReplicaSets, context);
}

function count(value: number | undefined): string {
  return String(value ?? 0);
}

function selectorText(selector: unknown): string {
  return selector === undefined || selector === null ? '<none>' : JSON.stringify(selector);
}
