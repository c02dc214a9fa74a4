import {
  extendedDaemonSets,
  extendedDaemonsetSettings,
  settingStates,
  type ExtendedDaemonsetSetting,
} from '@atoll/api';
import { nodes, pods, type Stored, type StreamingClient } from '@atoll/kube';
import { daemonNodeLabel } from './daemons.ts';
import { namespace, numbered, pick, type ChaosFleet, type Subject } from './subject.ts';
import { cpuOf, hasWanted, wantedSettings, type WantedSettings } from './wanted-settings.ts';

const zoneLabel = 'topology.kubernetes.io/zone';

/** So many amounts are given in turn: a node has room for the pods of all objects. */
const amounts = 50;

/** The names of the settings of one object, most often the first: where both select a node, they are in conflict. */
function settingOf(daemon: string, random: () => number): string {
  return `${daemon}-${random() < 0.7 ? 'one' : 'two'}`;
}

/** Settings of ExtendedDaemonSets: resources on the nodes of a zone, or on all. They are made, changed and deleted. */
export function settingSubject(count: number, { zones }: ChaosFleet): Subject {
  const daemons = numbered('eds', count);
  /** Whether each is there; undefined after a change without an answer, which may have come all the same. */
  const isThere = new Map<string, boolean | undefined>();
  let version = 0;

  const put = async (
    client: StreamingClient,
    daemon: string,
    name: string,
    zone: string | undefined,
  ): Promise<string> => {
    const cpu = `${1 + ((version += 1) % amounts)}m`;
    isThere.set(name, undefined);
    await client.apply(extendedDaemonsetSettings, setting(daemon, name, zone, cpu), {
      fieldManager: 'chaos',
      force: true,
    });
    isThere.set(name, true);
    return `${name} to ${cpu} in ${zone ?? 'all zones'}`;
  };

  return {
    kind: 'ExtendedDaemonsetSetting',
    async create(client) {
      for (const daemon of daemons) await put(client, daemon, `${daemon}-one`, zones[0]);
    },
    async change(client, random) {
      const daemon = pick(daemons, random);
      const name = settingOf(daemon, random);
      if (isThere.get(name) === true && random() < 0.3) {
        isThere.set(name, undefined);
        await client.delete(extendedDaemonsetSettings, { namespace, name });
        isThere.set(name, false);
        return `${name} deleted`;
      }
      return put(client, daemon, name, pick([undefined, ...zones], random));
    },
    async unsettled(client) {
      const { items: settings } = await client.list(extendedDaemonsetSettings, { namespace });
      const { items: fleet } = await client.list(nodes);
      const { items } = await client.list(pods, { namespace });
      const live = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const open = otherThanKept(settings, isThere);
      for (const [index, daemon] of daemons.entries()) {
        const wanted = wantedSettings(
          settings.filter(({ spec }) => spec.reference.name === daemon),
          fleet,
        );
        open.push(...reportedOtherwise(wanted));
        const others = fleet
          .filter(({ metadata }) => metadata.labels?.[daemonNodeLabel(index)] === 'yes')
          .flatMap((node) =>
            live
              .filter(
                ({ metadata, spec }) =>
                  metadata.labels?.['app'] === daemon && spec?.nodeName === node.metadata.name,
              )
              .filter((pod) => !hasWanted(wanted, node, pod)),
          );
        const [first] = others;
        if (first !== undefined)
          open.push(
            `${daemon}: ${others.length} pods without the resources of their setting, first ${first.metadata.name} with ${cpuOf(first.spec)}`,
          );
      }
      return open;
    },
  };
}

/** What is there and was deleted, or is not there and was made; the others are as they are found. */
function otherThanKept(
  settings: readonly Stored<ExtendedDaemonsetSetting>[],
  isThere: Map<string, boolean | undefined>,
): string[] {
  const found = new Set(settings.map(({ metadata }) => metadata.name));
  for (const [name, kept] of isThere) if (kept === undefined) isThere.set(name, found.has(name));
  return [...isThere]
    .filter(([name, kept]) => kept !== found.has(name))
    .map(([name, kept]) => `${name} is ${kept === true ? 'gone' : 'there again'}`);
}

function reportedOtherwise({ applying, inConflict }: WantedSettings): readonly string[] {
  const wanted = [
    ...applying.map((setting) => ({ setting, state: settingStates.valid })),
    ...inConflict.map((setting) => ({ setting, state: settingStates.error })),
  ];
  return wanted
    .filter(
      ({ setting: { metadata, status }, state }) =>
        status?.status !== state || status.observedGeneration !== metadata.generation,
    )
    .map(
      ({ setting: { metadata, status }, state }) =>
        `${metadata.name}: ${status?.status} is not ${state} ${status?.error ?? ''}`,
    );
}

function setting(
  daemon: string,
  name: string,
  zone: string | undefined,
  cpu: string,
): ExtendedDaemonsetSetting {
  return {
    metadata: { namespace, name },
    spec: {
      reference: { kind: extendedDaemonSets.kind, name: daemon },
      nodeSelector: zone === undefined ? {} : { matchLabels: { [zoneLabel]: zone } },
      containers: [{ name: 'agent', resources: { requests: { cpu } } }],
    },
  };
}
