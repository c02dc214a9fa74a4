import { createHash } from 'node:crypto';
import type { Checksum } from './release.ts';

/** The checksum that the publisher's answer names, in lower-case hexadecimal; undefined where it names none. */
export function publishedChecksum(source: Checksum, answer: string): string | undefined {
  switch (source.kind) {
    case 'file':
      return hexOf(answer.trim().split(/\s/)[0]);
    case 'list':
      for (const line of answer.split('\n')) {
        const [sum, fileName] = line.trim().split(/\s+\*?/);
        if (fileName === source.fileName) return hexOf(sum);
      }
      return undefined;
    case 'release': {
      const { assets = [] } = JSON.parse(answer) as {
        assets?: readonly { name: string; digest?: string | null }[];
      };
      const digest = assets.find((asset) => asset.name === source.fileName)?.digest ?? '';
      return hexOf(digest.replace(/^sha(256|512):/, ''));
    }
  }
}

/** SHA-256 or SHA-512, whichever has the length of `published`. */
export function matchesChecksum(content: Buffer, published: string): boolean {
  const algorithm = published.length === 128 ? 'sha512' : 'sha256';
  return createHash(algorithm).update(content).digest('hex') === published;
}

function hexOf(text: string | undefined): string | undefined {
  const lower = text?.toLowerCase() ?? '';
  return /^([0-9a-f]{64}|[0-9a-f]{128})$/.test(lower) ? lower : undefined;
}
