const blockSize = 512;

/** The content of one file in a tar archive (POSIX ustar); undefined where it is not there. */
export function tarEntry(archive: Buffer, path: string): Buffer | undefined {
  for (let offset = 0; offset + blockSize <= archive.length;) {
    const header = archive.subarray(offset, offset + blockSize);
    const name = textOf(header, 0, 100);
    if (name === '') return undefined;
    const prefix = textOf(header, 257, 5) === 'ustar' ? textOf(header, 345, 155) : '';
    const size = Number.parseInt(textOf(header, 124, 12).trim() || '0', 8);
    const begin = offset + blockSize;
    if ((prefix === '' ? name : `${prefix}/${name}`) === path) return archive.subarray(begin, begin + size);
    offset = begin + Math.ceil(size / blockSize) * blockSize;
  }
  return undefined;
}

function textOf(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString('utf8');
}
