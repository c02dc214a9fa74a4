import { shortened } from '@atoll/kube';

/** So many bytes are kept of what a server answers, so that a condition holds our own sentences beside it. */
const keptBytes = 160;

/** What differs between two reports of the same cause, and what takes its place. */
const volatile: readonly (readonly [RegExp, string])[] = [
  // uids, as in paths of volumes.
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '…'],
  // Containers and sandboxes.
  [/\b[0-9a-f]{32,}\b/g, '…'],
  // The local port of a connection: `dial tcp 10.0.0.1:43210->10.0.0.2:443`.
  [/(\b\d+(?:\.\d+){3}|\]):\d+->/g, '$1->'],
  // `back-off 2m40s restarting failed container`.
  [/\b(back-?off) (?:\d+(?:\.\d+)?(?:h|m|s|ms))+ /gi, '$1 '],
  // The random end of a name that was never taken: `pods "web-7d9f-x8k2p" is forbidden`.
  [/\b(pods?) "[^"]*" is forbidden/g, '$1 is forbidden'],
];

/**
 * What the server, the scheduler or a kubelet reported, fit for a message that stays the same while the cause does: on one line,
 * bounded, without ids, ports and durations that are new in each report.
 */
export function readable(message: string): string {
  let text = message.replaceAll(/\s+/g, ' ').trim();
  for (const [pattern, instead] of volatile) text = text.replace(pattern, instead);
  return shortened(text.replace(/\.$/, ''), keptBytes);
}
