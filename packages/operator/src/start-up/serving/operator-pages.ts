import { reviewedAccess, systemClock, type CacheSet, type Pages } from '@atoll/kube';
import type { Readers } from '../../caches.ts';
import { logLevelPages } from '../../debug/log-level-pages.ts';
import { objectPages } from '../../debug/object-pages.ts';
import { kindGauges } from '../../definitions/kind-gauges.ts';
import { withNamespaceGauge } from '../../definitions/namespace-gauge.ts';
import type { Controller } from '../../engine/controller.ts';
import type { Executor } from '../../engine/executor/execute.ts';
import type { Connected } from '../connect.ts';
import { metricsNeedToken } from '../options/addresses.ts';

/** What the pages show. */
export interface Shown {
  readonly cached: CacheSet;
  readonly readers: Readers;
  readonly controllers: readonly Controller<never, never>[];
  readonly executor: Executor;
  readonly isLeader: () => boolean;
}

/** Metrics, and what only those see who may ask for it. `metricsAt`: the address of the metrics. */
export function operatorPages(
  { options, selected, environment, client, serverClock, metrics }: Connected,
  metricsAt: string,
  { cached: { namespaces }, readers, controllers, executor, isLeader }: Shown,
): Pages {
  const { logger, logLevel } = environment;
  const ofKinds = kindGauges(selected, readers, { isLeader, objectDefaults: options });
  const access = reviewedAccess({ client, clock: systemClock, logger });
  const refusedTrials = executor.refusedTrials.bind(executor);
  return {
    metrics,
    gauges: namespaces === undefined ? ofKinds : withNamespaceGauge(ofKinds, namespaces),
    metricsAccess: metricsNeedToken(options, metricsAt) ? access : undefined,
    guarded: {
      access,
      pages: [
        ...(logLevel === undefined ? [] : logLevelPages(logLevel, logger)),
        ...(options.debugObjects
          ? objectPages({ controllers, clock: serverClock, isLeader, refusedTrials })
          : []),
      ],
    },
  };
}
