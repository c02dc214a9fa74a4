import { z } from 'zod';
import { validationModes } from '../../extended-daemon-set/names.ts';
import { labelSelector } from '../labels.ts';
import { rules, set } from '../markers.ts';
import { canaryRules } from './canary-rules.ts';
import { amountOf, countOf, durationOf, longerThanZero, notZero } from './values.ts';

const rollingUpdate = z.strictObject({
  maxUnavailable: amountOf(
    'How many nodes may be without an available pod because of the update: a number, or a percentage of the nodes, rounded up. 1 where left out.',
    notZero,
  ),
  maxPodSchedulerFailure: amountOf(
    'How many unresponsive nodes do not count as unavailable: a number, or a percentage of the nodes, rounded up. 0 where left out.',
  ),
  maxParallelPodCreation: countOf('How many pods are created at once at most; 250 where left out.'),
  slowStartIntervalDuration: durationOf(
    'How long it takes until slowStartAdditiveIncrease more pods may be created; 1m where left out.',
    longerThanZero,
  ),
  slowStartAdditiveIncrease: amountOf(
    'How many more pods may be created after each interval: a number, or a percentage of the nodes, rounded up. 1 where left out.',
  ),
});

const canary = z
  .strictObject({
    replicas: amountOf(
      'How many nodes try a new template first: a number, or a percentage of the nodes, rounded up. 1 where left out.',
    ),
    duration: durationOf(
      'How long after its creation the canary is promoted at the earliest, without the time that it was paused; 10m where left out. Not for the mode manual.',
    ),
    noRestartsDuration: durationOf(
      'How long no container of the canary may have been restarted; 5m where left out. Not for the mode manual.',
    ),
    nodeSelector: labelSelector().describe('The nodes that may try it; all where left out.').optional(),
    nodeAntiAffinityKeys: set(z.string())
      .describe('Labels of nodes; the canary nodes are spread evenly over their values.')
      .optional(),
    autoPause: z
      .strictObject({
        enabled: z.boolean().describe('true where left out.').optional(),
        maxRestarts: countOf(
          'The canary is paused when a container was restarted more often; 2 where left out.',
        ),
        maxSlowStartDuration: durationOf(
          'How long the containers of a canary pod may take to start before the canary is paused.',
        ),
      })
      .describe('When the canary is paused by itself.')
      .optional(),
    autoFail: z
      .strictObject({
        enabled: z.boolean().describe('true where left out.').optional(),
        maxRestarts: countOf('The canary fails when a container was restarted more often; 5 where left out.'),
        maxRestartsDuration: durationOf('The canary fails when restarts have gone on for longer.'),
        canaryTimeout: durationOf(
          'The canary fails when it has gone on for longer, also while it is paused.',
        ),
      })
      .describe('When the canary fails by itself, and the template goes back.')
      .optional(),
    validationMode: z
      .enum(validationModes)
      .describe(
        'auto: promoted by time. manual: promoted by a user. Where left out, what the operator is configured with: auto by default.',
      )
      .optional(),
  })
  .meta(rules(...canaryRules));

export const strategy = z.strictObject({
  rollingUpdate: rollingUpdate.describe('The limits of every rollout.').optional(),
  canary: canary
    .describe('A new template is tried on a few nodes first; without it, it goes to all.')
    .optional(),
  reconcileFrequency: durationOf('The least time between two batches of deletions; 10s where left out.'),
});
