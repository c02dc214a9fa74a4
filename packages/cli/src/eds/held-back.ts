import type { ExtendedDaemonSet } from '@atoll/api';
import type { Stored } from '@atoll/kube';
import { nextCommand } from './next-command.ts';
import { whyUnknown } from './objects.ts';

/** An annotation that holds the rollout of an object back. */
export type HoldingAnnotation = 'rollingUpdatePaused' | 'rolloutFrozen';

/** What each of them does, and the command that ends it. */
const holding: Readonly<Record<HoldingAnnotation, readonly [what: string, endedBy: string]>> = {
  rollingUpdatePaused: [
    'the rolling update is paused: outdated pods stay, and nodes without a pod get one',
    'unpause-rolling-update',
  ],
  rolloutFrozen: ['the rollout is frozen: no pod is deleted and none is made', 'unfreeze-rollout'],
};

/** What the annotation does, with the command that ends it at the end. */
export function heldBackBy(annotation: HoldingAnnotation, object: Stored<ExtendedDaemonSet>): string {
  const [what, endedBy] = holding[annotation];
  return `${what}. It goes on with: ${nextCommand(endedBy, object)}`;
}

/** All that holds the rollout of an object back. `except`: not this annotation. */
export async function heldBack(
  object: Stored<ExtendedDaemonSet>,
  except?: HoldingAnnotation,
): Promise<readonly string[]> {
  const { extendedDaemonSetAnnotations: names } = await import('@atoll/api');
  const annotations = (['rolloutFrozen', 'rollingUpdatePaused'] as const).filter(
    (each) => each !== except && object.metadata.annotations?.[names[each]] === 'true',
  );
  const unknown = whyUnknown(object);
  return [
    ...annotations.map((each) => heldBackBy(each, object)),
    ...(unknown === undefined ? [] : [`no pod is made or deleted: ${unknown}`]),
  ];
}
