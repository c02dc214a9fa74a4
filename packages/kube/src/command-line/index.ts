/** What programs need for their command lines, in the syntax of Kubernetes' own. Loads no client. */
export { longestTimerMs } from '../clock/clock.ts';
export * from './refuse-in-one-line.ts';
export * from './value-parsers.ts';
export * from '../values/visible-text.ts';
