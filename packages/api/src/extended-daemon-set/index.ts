export * from './defaults.ts';
export * from './extended-daemon-set-replica-set.ts';
export * from './extended-daemon-set.ts';
export * from './extended-daemonset-setting.ts';
export * from './names.ts';
export * from './strategy-problems.ts';
export * from './with-defaults.ts';
