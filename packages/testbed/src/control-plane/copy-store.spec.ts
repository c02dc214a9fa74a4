import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyStore } from './copy-store.ts';

const mebibyte = 1 << 20;

it('copies folders and files byte by byte, and takes no room for the zeros at the end of a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-store-'));
  try {
    const files = {
      'member/wal/0.wal': Buffer.concat([Buffer.from('log\0\0of writes'), Buffer.alloc(8 * mebibyte + 5)]),
      'member/wal/empty': Buffer.alloc(0),
      'member/wal/zeros': Buffer.alloc(3 * mebibyte),
      'member/snap/db': Buffer.from('\0\0pages'),
    };
    for (const name of ['wal', 'snap']) mkdirSync(join(folder, 'from', 'member', name), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'from', name), content);
    copyStore(join(folder, 'from'), join(folder, 'to'));
    for (const [name, content] of Object.entries(files)) {
      expect(readFileSync(join(folder, 'to', name)).equals(content), name).toBe(true);
    }
    expect(statSync(join(folder, 'to', 'member/wal/0.wal')).blocks * 512).toBeLessThan(3 * mebibyte);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
