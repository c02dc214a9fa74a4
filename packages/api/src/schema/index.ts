/** Schemas and CRDs. Loads zod: for the installer, the webhook, the generator and tests, not for controllers. */
export * from './custom-resource-definition.ts';
export * from './kinds.ts';
export * from './markers.ts';
export * from './to-structural.ts';
