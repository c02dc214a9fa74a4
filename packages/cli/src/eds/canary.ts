import { Command } from 'commander';
import type { ExtendedDaemonSet, ExtendedDaemonSetReplicaSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { edsArgument } from '../completion/object-argument.ts';
import { CommandFailure } from '../program/command-failure.ts';
import { connect, withConnection, type Connection } from '../program/connection.ts';
import type { CommandContext } from '../program/run-program.ts';
import { attempts, decideAbout, readSeen, type Decision } from './decision.ts';
import { heldBack } from './held-back.ts';
import { nextCommand } from './next-command.ts';
import { canaryOf, readObject, readReplicaSet } from './objects.ts';
import { canaryPodsCommand } from './pods.ts';

export function canaryCommand(context: CommandContext): Command {
  const command = new Command('canary').description(
    'look at the canary of an ExtendedDaemonSet, and decide about it',
  );
  command.addCommand(canaryPodsCommand(context));
  command.addCommand(
    deciding('validate', 'promote the canary now, whatever it waits for', annotating(validate), context),
  );
  command.addCommand(deciding('pause', 'pause the canary', annotating(pause), context));
  command.addCommand(
    deciding(
      'unpause',
      'let the canary go on; it is not paused automatically any more',
      annotating(unpause),
      context,
    ),
  );
  command.addCommand(deciding('fail', 'end the canary as failed; its nodes go back', fail, context));
  return command;
}

/** Yields what happened and what comes next. */
type Act = (connection: Connection, eds: string) => Promise<string>;

function deciding(name: string, description: string, act: Act, context: CommandContext): Command {
  const command = new Command(name).description(description).addArgument(edsArgument());
  return withConnection(command).action(async (eds: string) => {
    await using connection = await connect(command, context);
    context.print(await act(connection, eds));
  });
}

type Decide = (object: Stored<ExtendedDaemonSet>, replicaSet: string) => Promise<Decision>;

/** A decision that is an annotation of the object. */
function annotating(decide: Decide): Act {
  return async (connection, eds) =>
    decideAbout(connection, eds, async (object) => decide(object, canaryOf(object)), readSeen);
}

async function annotationNames() {
  return (await import('@atoll/api')).extendedDaemonSetAnnotations;
}

const validate: Decide = async (object, replicaSet) => {
  const { metadata } = object;
  const names = await annotationNames();
  const isSo = metadata.annotations?.[names.canaryValid] === replicaSet;
  const held = await heldBack(object);
  const next =
    held.length === 0
      ? `${isSo ? '' : ' and is rolled out'}.`
      : `, and is not rolled out yet: ${held.join('\nBesides, ')}`;
  return {
    ...(isSo ? {} : { annotations: { [names.canaryValid]: replicaSet } }),
    text: `ExtendedDaemonSet ${metadata.name}: the canary ${replicaSet} is validated${isSo ? ' already' : ''}; it becomes the active replica set${next}`,
  };
};

const pause: Decide = async (object, replicaSet) => {
  const names = await annotationNames();
  const { metadata, spec } = object;
  const { name, annotations = {} } = metadata;
  if (spec.strategy.canary === undefined)
    throw new CommandFailure(
      `ExtendedDaemonSet ${name} has no spec.strategy.canary, so there is nothing to pause`,
    );
  if (annotations[names.canaryValid] === replicaSet)
    throw new CommandFailure(
      `ExtendedDaemonSet ${name}: the canary ${replicaSet} is validated, and becomes the active replica set whatever pauses it. Hold its rollout with: ${nextCommand('pause-rolling-update', object)}`,
    );
  if (annotations[names.canaryPaused] === 'true' && annotations[names.canaryUnpaused] !== 'true')
    return { text: `ExtendedDaemonSet ${name}: the canary ${replicaSet} is paused already.` };
  return {
    annotations: { [names.canaryPaused]: 'true', [names.canaryUnpaused]: 'false' },
    text: `ExtendedDaemonSet ${name}: the canary ${replicaSet} is paused. It goes on with: ${nextCommand('canary unpause', object)}`,
  };
};

const unpause: Decide = async (object, replicaSet) => {
  const names = await annotationNames();
  const { name, annotations = {} } = object.metadata;
  if (annotations[names.canaryPaused] !== 'true' && annotations[names.canaryUnpaused] === 'true')
    return { text: `ExtendedDaemonSet ${name}: the canary ${replicaSet} goes on already.` };
  return {
    annotations: { [names.canaryPaused]: 'false', [names.canaryUnpaused]: 'true' },
    text: `ExtendedDaemonSet ${name}: the canary ${replicaSet} goes on, and is not paused automatically any more. It is promoted as spec.strategy.canary says; now with: ${nextCommand('canary validate', object)}`,
  };
};

const fail: Act = async (connection, eds) => {
  const object = await readSeen(connection, eds);
  const replicaSet = canaryOf(object);
  const { metadata, status: stands } = object;
  const { name, annotations = {} } = metadata;
  const { canaryFailurePolicies, canaryReasons, extendedDaemonSetAnnotations, replicaSetConditions } =
    await import('@atoll/api');
  const type = replicaSetConditions.canaryFailed;
  const read = await readReplicaSet(connection, replicaSet);
  const owner = (await import('@atoll/kube')).controllerOf(read);
  if (owner !== undefined && owner.uid !== metadata.uid)
    throw new CommandFailure(
      `the replica set ${replicaSet} does not belong to the ExtendedDaemonSet ${name} that was read: it was deleted and made again meanwhile. Nothing was changed`,
    );
  const { status } = read;
  const { onCanaryFailure } = extendedDaemonSetAnnotations;
  const keepsSpec = annotations[onCanaryFailure] === canaryFailurePolicies.hold;
  const back = `its nodes go back to the active replica set ${stands?.activeReplicaSet ?? ''}`;
  const next = keepsSpec
    ? `${back}. The template in the spec stays, as the annotation ${onCanaryFailure} asks.`
    : `${back}, and the template in the spec becomes that one's.`;
  if (status?.conditions?.some((each) => each.type === type && each.status === 'True') === true)
    return `ExtendedDaemonSet ${name}: the canary ${replicaSet} has failed already; ${next}`;
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const condition = {
    type,
    status: 'True',
    reason: canaryReasons.manuallyFailed,
    lastTransitionTime: at,
    lastUpdateTime: at,
  };
  await addCondition(connection, replicaSet, read, condition);
  // What is written is the replica set, which does not show whether the object has promoted it meanwhile.
  const { status: after } = await readObject(connection, name);
  if (after?.activeReplicaSet === replicaSet)
    throw new CommandFailure(
      `ExtendedDaemonSet ${name}: the canary ${replicaSet} was promoted meanwhile, and is the active replica set, so it has not failed. Hold its rollout with: ${nextCommand('pause-rolling-update', object)}. To go back, put the earlier template into the spec`,
    );
  return `ExtendedDaemonSet ${name}: the canary ${replicaSet} has failed; ${next}`;
};

/** The condition alone: conditions are merged by their type, so those of others stay, and a second call changes nothing. */
async function addCondition(
  connection: Connection,
  name: string,
  read: Stored<ExtendedDaemonSetReplicaSet>,
  condition: object,
): Promise<void> {
  const { client, namespace } = connection;
  const { commandLineFieldManager, extendedDaemonSetReplicaSets } = await import('@atoll/api');
  const { isApiError } = await import('@atoll/kube');
  const { uid } = read.metadata;
  let { resourceVersion } = read.metadata;
  for (let attempt = 1; ; attempt += 1) {
    // A write of the status alone is not refused for its uid where the kind is a custom resource, but for its version.
    const object = {
      metadata: { namespace, name, uid, resourceVersion },
      status: { conditions: [condition] },
    };
    try {
      await client.apply(extendedDaemonSetReplicaSets, object as never, {
        subresource: 'status',
        fieldManager: commandLineFieldManager,
        force: true,
      });
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || attempt === attempts) throw error;
      // The operator wrote the status meanwhile, or the name is another object's by now.
      const { metadata } = await readReplicaSet(connection, name);
      if (metadata.uid !== uid)
        throw new CommandFailure(
          `the replica set ${name} was deleted and made again meanwhile; nothing was changed`,
        );
      ({ resourceVersion } = metadata);
    }
  }
}
