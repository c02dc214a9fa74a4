import { setTimeout as delay } from 'node:timers/promises';
import type { ExtendedDaemonSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { CommandFailure } from '../program/command-failure.ts';
import type { Connection } from '../program/connection.ts';
import { canaryIn, isSpecSeen, readObject } from './objects.ts';

/** What a person decides about an object that was read. */
export interface Decision {
  /** Written on that version of it alone; undefined: nothing is to be changed. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What happened and what comes next. */
  readonly text: string;
}

/** So often at most a write meets another one of the same object. */
export const attempts = 5;

/** For so long a change of the spec may be unseen: the operator writes that it has seen it within a second, and among many objects within five. */
const unseen = { looks: 10, everyMs: 500 } as const;

/**
 * Decides about the object as it is read, and writes that for this version alone: a template that changes meanwhile may end the canary that
 * was meant. Where somebody else has written it, it is read and decided about again, as long as it is the same object with the same canary.
 */
export async function decideAbout(
  connection: Connection,
  name: string,
  decide: (object: Stored<ExtendedDaemonSet>) => Promise<Decision>,
  read: typeof readObject = readObject,
): Promise<string> {
  const { isApiError } = await import('@atoll/kube');
  const meant = await read(connection, name);
  let object = meant;
  for (let attempt = 1; ; attempt += 1) {
    const { annotations, text } = await decide(object);
    if (annotations === undefined) return text;
    try {
      await annotate(connection, object, annotations);
      return text;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || attempt === attempts) throw error;
      object = await read(connection, name);
      refuseAnother(meant, object);
    }
  }
}

/** The object, once its operator has seen its spec: until then the canary in its status may be of a template that is gone. */
export async function readSeen(connection: Connection, name: string): Promise<Stored<ExtendedDaemonSet>> {
  for (let look = 1; ; look += 1) {
    const object = await readObject(connection, name);
    if (isSpecSeen(object)) return object;
    const { metadata, status } = object;
    if (look === unseen.looks)
      throw new CommandFailure(
        `ExtendedDaemonSet ${name}: its spec was changed, and the operator has not seen that yet (generation ${metadata.generation}; it has seen ${status?.observedGeneration}), so it is not known whether the canary in the status is still tried. Nothing was changed. Look whether the operator runs, and repeat the command`,
      );
    await delay(unseen.everyMs);
  }
}

/** A canary that has ended or begun meanwhile is not the one that a person has looked at. */
function refuseAnother(meant: Stored<ExtendedDaemonSet>, found: Stored<ExtendedDaemonSet>): void {
  const { name, uid } = meant.metadata;
  if (found.metadata.uid !== uid)
    throw new CommandFailure(
      `ExtendedDaemonSet ${name} was deleted and made again meanwhile. Nothing was changed`,
    );
  const before = canaryIn(meant);
  const now = canaryIn(found);
  if (before === '' || before === now) return;
  const next = now === '' ? '' : `, and ${now} is tried`;
  throw new CommandFailure(
    `ExtendedDaemonSet ${name}: the canary ${before} has ended meanwhile${next}. Nothing was changed`,
  );
}

/** Writes these annotations and nothing else. One of the same name that was made since is refused too. */
async function annotate(
  { client, namespace }: Connection,
  { metadata: { name, uid, resourceVersion } }: Stored<ExtendedDaemonSet>,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const { commandLineFieldManager: fieldManager, extendedDaemonSets } = await import('@atoll/api');
  const patch = { type: 'merge', body: { metadata: { uid, resourceVersion, annotations } } } as const;
  await client.patch(extendedDaemonSets, { namespace, name }, patch, { fieldManager });
}
