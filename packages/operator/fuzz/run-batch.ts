import { truncateSync } from 'node:fs';
import { events, pods, type StreamingClient } from '@atoll/kube';
import { countWrites, rssOf, startRecording } from '@atoll/testbed';
import { keepEvidence } from '../chaos/keep-evidence.ts';
import { operatorUser } from '../integration/set-up/operator-control-plane.ts';
import { changeBack, changeEach, createValid, lostChildren, untilAsBefore } from './changed-objects.ts';
import type { FuzzOptions } from './fuzz-options.ts';
import type { FuzzBatch } from './fuzz-report.ts';
import { fuzzedKinds } from './kinds/fuzzed-kinds.ts';
import { removeObject, sendObjects } from './sent-objects.ts';
import type { FuzzWorld } from './start-world.ts';
import { untilAnswered, untilServed } from './until-answered.ts';

/** Far more than any object needs within a batch, and far fewer than one that is written without end. */
const mostWritesOfObject = 80;

/** Sends a batch, changes served objects and changes them back, and looks at what the operator made of it. */
export async function runBatch(
  batch: number,
  count: number,
  options: FuzzOptions,
  world: FuzzWorld,
): Promise<FuzzBatch> {
  const { controlPlane, client, operator, served, random } = world;
  const { kubeconfig, auditLog = '' } = controlPlane;
  const { pid } = operator;
  truncateSync(auditLog, 0);
  await using recording = await startRecording({ kubeconfig, auditLog, resources: [pods] });
  const wrong: string[] = [];
  const seed = options.seed + batch * 1000;
  const changing = Math.min(options.changed, count);
  const sending = count - changing;
  const valid = await Promise.all(
    fuzzedKinds.map(async (fuzzed) =>
      createValid(client, fuzzed, `c-${batch}`, changing, options.answerMs * 3),
    ),
  );
  const [sent, changed] = await Promise.all([
    Promise.all(
      fuzzedKinds.map(async (fuzzed, index) =>
        sendObjects(client, fuzzed, `f-${batch}`, sending, seed + index),
      ),
    ),
    Promise.all(valid.map(async (objects, index) => changeEach(client, objects, seed + 500 + index))),
  ]);
  const changes = changed.flat();
  const taken = sent.flat();
  // A failure of the preparation, where nothing but refusals would be proved.
  const none = fuzzedKinds.filter((_, index) => sending >= 20 && sent[index]?.length === 0);
  wrong.push(...none.map(({ resource }) => `not one ${resource.kind} was taken`));
  const since = Date.now();
  wrong.push(...(await untilAnswered(client, [...taken, ...changes], options.answerMs)));
  const answeredMs = Date.now() - since;
  const { back, refused } = await changeBack(client, changes);
  wrong.push(...refused);
  wrong.push(...(await untilAnswered(client, back, options.answerMs)));
  wrong.push(...(await untilAsBefore(client, back, options.answerMs)));
  const changedAt = Date.now();
  for (const subject of served) await subject.change(client, random);
  const open = await untilServed(client, served, options.answerMs);
  wrong.push(...open.map((each) => `not served beside hostile objects: ${each}`));
  const servedMs = Date.now() - changedAt;
  wrong.push(...(await failedReconciles(client)));
  for (const { fuzzed, object } of [...taken, ...back]) await removeObject(client, fuzzed, object);
  const history = await recording.history();
  wrong.push(...lostChildren(back, history));
  const writes = countWrites(history, {
    user: operatorUser,
    except: ['leases.coordination.k8s.io', 'events.events.k8s.io'],
  });
  for (const [object, times] of writes.byObject)
    // A creation that was refused has no name: those are of many objects.
    if (object.includes('/') && times > mostWritesOfObject)
      wrong.push(`${times} writes to ${object}, at most ${mostWritesOfObject} may be`);
  if (operator.pid === undefined || operator.pid !== pid)
    wrong.push(`the operator ended: ${operator.lastWords().slice(-1_500)}`);
  return {
    batch,
    taken: taken.length,
    refused: fuzzedKinds.length * sending - taken.length,
    changed: back.filter((each) => each.changed !== undefined).length,
    faulty: back.filter(({ heldFor, isFaulty }) => heldFor !== undefined || isFaulty).length,
    writes: writes.total,
    answeredMs,
    servedMs,
    megabytes: megabytesOf(operator.pid),
    wrong,
    evidence: wrong.length === 0 ? undefined : keepEvidence('atoll-fuzz-', controlPlane, history),
  };
}

/** An error of ours, however it was survived. */
async function failedReconciles(client: StreamingClient): Promise<readonly string[]> {
  const { items } = await client.list(events);
  return items
    .filter(({ reason }) => reason === 'ReconcileFailed')
    .map(({ regarding, note }) => `${regarding?.kind} ${regarding?.name}: ${note}`);
}

function megabytesOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return Math.round(rssOf(pid) / 1024 / 1024);
}
