  mergeProjections,
  project,
  projection,
  projectionOfPaths,
  type Projection,
  wholeObject,
export * from './api-error.ts';
export * from './cache.ts';
export * from './client.ts';
export * from './client/create-by-apply.ts';
export * from './client/create-client.ts';
export * from './client/discovery.ts';
export * from './client/reviews.ts';
export * from './clock.ts';
export * from './credentials/cluster-access.ts';
export * from './credentials/credential-error.ts';
export * from './credentials/find-cluster.ts';
export * from './credentials/in-cluster.ts';
export * from './credentials/load-kubeconfig.ts';
export * from './decoder/decode-error.ts';
export * from './decoder/watch-decoder.ts';
export * from './decoder/watch-event.ts';
export * from './duration.ts';
export * from './equality.ts';
export * from './event-aggregator.ts';
export * from './event-recorder.ts';
export * from './fake-clock.ts';
export * from './informer.ts';
export * from './informers.ts';
export * from './int-or-percent.ts';
export * from './label-selector-text.ts';
export * from './label-selector.ts';
export * from './leader-election.ts';
export * from './logger.ts';
export * from './metrics.ts';
export * from './node-fitness.ts';
export * from './object.ts';
export * from './quantity.ts';
export * from './reader.ts';
export * from './reconciler.ts';
export * from './reflector-pace.ts';
export * from './reflector.ts';
export * from './resource-names.ts';
export * from './resource-version.ts';
export * from './resource.ts';
export * from './resources.ts';
export * from './stable-hash.ts';
export * from './streaming-client.ts';
export * from './work-queue.ts';
export type * from './types/index.ts';
export {
} from './decoder/projection.ts';
