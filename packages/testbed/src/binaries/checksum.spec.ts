import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { matchesChecksum, publishedChecksum } from './checksum.ts';

const sha256 = 'a'.repeat(64);
const sha512 = 'B'.repeat(128);

describe('the published checksum', () => {
  it('is the whole file, as for Kubernetes', () => {
    expect(publishedChecksum({ kind: 'file', url: '' }, `${sha512}\n`)).toBe(sha512.toLowerCase());
  });

  it('is a line of a list, as for etcd', () => {
    const list = `${'1'.repeat(64)}  etcd-arm64.tar.gz\n${sha256}  etcd-amd64.tar.gz\n`;
    expect(publishedChecksum({ kind: 'list', url: '', fileName: 'etcd-amd64.tar.gz' }, list)).toBe(sha256);
    expect(publishedChecksum({ kind: 'list', url: '', fileName: 'amd64.tar.gz' }, list)).toBeUndefined();
  });

  it('is the digest of a release asset, as for kwok', () => {
    const release = JSON.stringify({
      assets: [
        { name: 'kwok-linux-amd64', digest: `sha256:${sha256}` },
        { name: 'old', digest: null },
      ],
    });
    expect(publishedChecksum({ kind: 'release', url: '', fileName: 'kwok-linux-amd64' }, release)).toBe(
      sha256,
    );
    expect(publishedChecksum({ kind: 'release', url: '', fileName: 'old' }, release)).toBeUndefined();
  });

  it.each(['', 'not found', 'abc123', 'f'.repeat(40)])('is not "%s"', (answer) => {
    expect(publishedChecksum({ kind: 'file', url: '' }, answer)).toBeUndefined();
  });
});

describe('a content', () => {
  const content = Buffer.from('etcd');
  it.each(['sha256', 'sha512'])('matches its own %s and no other', (algorithm) => {
    const own = createHash(algorithm).update(content).digest('hex');
    expect(matchesChecksum(content, own)).toBe(true);
    expect(matchesChecksum(Buffer.from('etcD'), own)).toBe(false);
  });
});
