import { setTimeout as delay } from 'node:timers/promises';
import { groupResourceOf } from '@atoll/kube';
import type { Instant, KubeObject, Resource } from '@atoll/kube';
import { AuditLog } from './audit-log.ts';
import { formatHistory } from './format-history.ts';
import type { History, HistoryEntry } from './history.ts';
import { joinHistory } from './join-history.ts';
import { connectionOf } from './kubeconfig-connection.ts';
import type { RecordedEvent } from './recorded-event.ts';
import { ResourceRecorder } from './recorder.ts';

/** What is recorded, and where it is read. */
export interface RecordingOptions {
  /** Of somebody who may watch everything that is to be recorded; goes to the API server directly. */
  readonly kubeconfig: string;
  /** The API server's audit log, written under `auditPolicy`. */
  readonly auditLog: string;
  readonly resources: readonly Resource<KubeObject>[];
  /** Records namespaced resources of this namespace only. */
  readonly namespace?: string;
  readonly signal?: AbortSignal;
}

/** What is to come to rest, and for how long. */
export interface Quiescence {
  /** Whose writes are to end. */
  readonly user: string;
  /** Resources whose events are to end. Default: all recorded ones but `except`. */
  readonly resources?: readonly string[];
  /** Resources that never rest. Default: leases and events. */
  readonly except?: readonly string[];
  /** The longest time for which a fault held something back, in milliseconds. */
  readonly longestHoldMs?: number;
  /** Milliseconds without writes and events. Default: the greater of 2,000 and three times the longest hold. */
  readonly quietMs?: number;
  /** Gives up after so many milliseconds. Default 60,000. */
  readonly deadlineMs?: number;
}

/** Records from {@link startRecording} on. `await using` ends it with the block. */
export interface Recording extends AsyncDisposable {
  /** All events so far, in the order of arrival. */
  readonly events: readonly RecordedEvent[];
  /** Everything so far; reads the audit log to its end first. */
  history(): Promise<History>;
  /**
   * Resolves with the time of the last write or event when the user has written nothing and nothing has changed for
   * the quiet time, counted from the call on. Rejects after the deadline with what moved last.
   */
  waitForQuiescence(wanted: Quiescence): Promise<Instant>;
  /** What a recorder holds of its progress: the version up to which it is complete, and bookmarks received. */
  progress(resource: string): { readonly version: number; readonly bookmarks: number };
  stop(): Promise<void>;
}

/** Begins to record and resolves when everything that exists has been read. */
export async function startRecording(options: RecordingOptions): Promise<Recording> {
  const ending = new AbortController();
  const stopWith = AbortSignal.any([
    ending.signal,
    ...(options.signal === undefined ? [] : [options.signal]),
  ]);
  const connection = await connectionOf(options.kubeconfig);
  const events: RecordedEvent[] = [];
  const recorders = options.resources.map(
    (resource) =>
      new ResourceRecorder({
        connection,
        resource,
        namespace: options.namespace,
        sink: (event) => events.push(event),
      }),
  );
  const audit = new AuditLog(options.auditLog);

  const stop = async (): Promise<void> => {
    ending.abort();
    await Promise.all([audit.close(), ...recorders.map((recorder) => recorder.ended())]);
    connection.agent.destroy();
  };
  try {
    audit.start(stopWith);
    await Promise.all(recorders.map((recorder) => recorder.start(stopWith)));
  } catch (error) {
    await stop();
    throw error;
  }

  const history = async (): Promise<History> => {
    await audit.readOn();
    return joinHistory({ audit: audit.entries, events, gaps: recorders.flatMap(({ gaps }) => gaps) });
  };
  const recorded = options.resources.map(groupResourceOf);

  return {
    events,
    history,
    async waitForQuiescence(wanted) {
      const except = wanted.except ?? ['leases.coordination.k8s.io', 'events', 'events.events.k8s.io'];
      const resources = wanted.resources ?? recorded.filter((resource) => !except.includes(resource));
      const quietMs = wanted.quietMs ?? Math.max(2000, 3 * (wanted.longestHoldMs ?? 0));
      const counts = (entry: HistoryEntry): boolean => {
        if (entry.kind === 'write' && isWriteOf(entry.audit, wanted.user, except)) return true;
        const effects = entry.kind === 'write' ? entry.effects : [entry.effect];
        return effects.some(({ event }) => resources.includes(event.resource));
      };
      const end = Date.now() + (wanted.deadlineMs ?? 60_000);
      const called = Date.now();
      let seenEvents = 0;
      let seenEntries = 0;
      let last = 0;
      while (Date.now() - Math.max(called, last) < quietMs) {
        if (Date.now() > end) {
          const moved = formatHistory(await history(), { where: counts })
            .trimEnd()
            .split('\n')
            .slice(-10)
            .join('\n');
          throw new Error(`no quiescence within ${wanted.deadlineMs ?? 60_000} ms; moved last:\n${moved}`);
        }
        await delay(25);
        // A recorder that is on its way back cannot see silence.
        if (recorders.some(({ connected }) => !connected)) last = Date.now();
        for (const { resource, initial, at } of events.slice(seenEvents)) {
          if (!initial && resources.includes(resource)) last = Math.max(last, at);
        }
        seenEvents = events.length;
        for (const entry of audit.entries.slice(seenEntries)) {
          if (isWriteOf(entry, wanted.user, except)) last = Math.max(last, entry.at);
        }
        seenEntries = audit.entries.length;
      }
      return last;
    },
    progress(resource) {
      const recorder = recorders.find((candidate) => candidate.resource === resource);
      if (recorder === undefined)
        throw new Error(`${resource} is not recorded; recorded are ${recorded.join(', ')}`);
      return { version: recorder.version, bookmarks: recorder.bookmarks };
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const readVerbs = ['get', 'list', 'watch'];

function isWriteOf(
  { user, verb, resource, dryRun }: AuditLog['entries'][number],
  writer: string,
  except: readonly string[],
): boolean {
  return user === writer && !dryRun && !readVerbs.includes(verb) && !except.includes(resource);
}
