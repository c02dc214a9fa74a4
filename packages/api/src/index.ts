export * from './condition.ts';
export * from './names.ts';
export * from './node-pool.ts';
export * from './pool-workload.ts';
export * from './reasons.ts';
export * from './united-daemon-set.ts';
export * from './webhook-configurations.ts';
export * from './yurt-app-daemon.ts';
