import type { Client } from '@atoll/kube';
import type { ControlPlane } from '@atoll/testbed';
import type { FleetState } from '../fleet/fleet-state.ts';
import { showFleet } from '../fleet/watch-fleet.ts';
import type { Hints, Screen } from '../terminal/screen.ts';

/** Where a scene is played. */
export interface Stage {
  readonly controlPlane: ControlPlane;
  readonly client: Client;
  readonly screen: Screen;
  /** Nobody looks: it goes on at once, and each scene has a deadline. */
  readonly once: boolean;
  readonly hints: Hints;
  readonly signal: AbortSignal;
}

/** With `once`: how long each part of a scene may take. */
const deadlineMs = 120_000;
/** How long a person may look at one thing before the next begins. */
export const lookMs = 4_000;

/** A scene took longer than it may. */
export class NotInTime extends Error {}

/** Shows the fleet until it is so. Throws {@link NotInTime} where it is not in time. */
export async function showUntil(stage: Stage, until: (state: FleetState) => boolean): Promise<void> {
  const { client, screen, once, hints, signal } = stage;
  const show = (state: FleetState): void => screen.show(state, hints);
  if (await showFleet(client, show, until, signal, once ? deadlineMs : undefined)) return;
  throw new NotInTime(`Not everything is Ready after ${deadlineMs / 1000} s.`);
}
