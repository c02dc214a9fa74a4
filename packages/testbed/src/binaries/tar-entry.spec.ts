import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tarEntry } from './tar-entry.ts';

describe('an entry of a tar archive', () => {
  it('is read from an archive that tar wrote', () => {
    const folder = mkdtempSync(join(tmpdir(), 'atoll-tar-'));
    // Long enough for the prefix field of ustar.
    const long = `${'d'.repeat(90)}/${'e'.repeat(40)}`;
    mkdirSync(join(folder, long), { recursive: true });
    const content = Buffer.alloc(1500, 7);
    writeFileSync(join(folder, 'first'), 'one');
    writeFileSync(join(folder, 'empty'), '');
    writeFileSync(join(folder, long, 'etcd'), content);
    const archive = execFileSync('tar', [
      '--format=ustar',
      '-C',
      folder,
      '-cf',
      '-',
      'first',
      'empty',
      `${long}/etcd`,
    ]);
    rmSync(folder, { recursive: true });
    expect(tarEntry(archive, 'first')?.toString()).toBe('one');
    expect(tarEntry(archive, 'empty')?.length).toBe(0);
    expect(tarEntry(archive, `${long}/etcd`)).toEqual(content);
    expect(tarEntry(archive, 'etcd')).toBeUndefined();
  });

  it('is not found where the archive is cut off or none at all', () => {
    expect(tarEntry(Buffer.alloc(100), 'etcd')).toBeUndefined();
    expect(tarEntry(Buffer.alloc(1024), 'etcd')).toBeUndefined();
  });
});
