/** What specs of operators need: a clock that is moved by hand, and servers with prepared answers. */
export * from './fake-clock.ts';
export * from './fake-lease-server.ts';
export * from './scripted-server.ts';
export * from './test-server.ts';
