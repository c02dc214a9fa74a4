import { valueParser } from '@atoll/kube/command-line';

/** What the API server would take for another path, like `eds/agent` or `agent/status`, is no name. */
const reads = (text: string): string | undefined =>
  text === '' || text === '.' || text === '..' || /[/%]|\p{Cc}/u.test(text) ? undefined : text;

export const objectName = valueParser('the name of one object, without its kind', reads);

/** kubectl takes an empty one for none. */
export const namespaceName = valueParser('the name of a namespace', (text) =>
  text === '' ? text : reads(text),
);
