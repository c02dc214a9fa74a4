export * from './controller.ts';
export * from './hold.ts';
export * from './plan.ts';
export * from './rollout/choose-targets.ts';
export * from './rollout/target.ts';
export * from './same-meaning.ts';
export * from './steps/seen.ts';
export * from './step.ts';
