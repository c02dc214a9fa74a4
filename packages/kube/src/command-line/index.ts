/** What programs need for their command lines, in the syntax of Kubernetes' own. Loads nothing else of this package. */
export * from './refuse-in-one-line.ts';
export * from './value-parsers.ts';
