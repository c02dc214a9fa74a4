export * from './api-error.ts';
export * from './client.ts';
export * from './clock.ts';
export * from './logger.ts';
export * from './object.ts';
export * from './reader.ts';
export * from './resource.ts';
