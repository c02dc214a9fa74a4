/** What specs of operators need: a clock that is moved by hand, servers with prepared answers, and refusals. */
export { project } from '../decoder/projection.ts';
export * from './fake-clock.ts';
export * from './refusal-of.ts';
export * from './scripted-server.ts';
export * from './test-server.ts';
