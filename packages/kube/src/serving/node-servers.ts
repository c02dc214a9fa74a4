/**
 * Node's servers, without an import of their modules: that reads every export, and one of `node:http` loads a whole second
 * HTTP client, which costs each start 50 ms of the processor and 5 MB.
 */
export const { createServer: createHttpServer } = process.getBuiltinModule('node:http');
export const { createServer: createHttpsServer } = process.getBuiltinModule('node:https');
