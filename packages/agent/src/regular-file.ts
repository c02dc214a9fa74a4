import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';

/** To open a pipe, or some devices, without it waits until somebody writes: in the threads of Node, of which there are four. */
const openedAtOnce = constants.O_RDONLY | constants.O_NONBLOCK;

/** The text of a regular file, or of one that a link leads to. Rejects where it is something else, or larger than `atMostBytes`. */
export async function readRegularFile(path: string, atMostBytes: number): Promise<string> {
  const handle = await open(path, openedAtOnce);
  try {
    refuseOthers(await handle.stat(), atMostBytes);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** As {@link readRegularFile}, at once. */
export function readRegularFileSync(path: string, atMostBytes: number): string {
  const file = openSync(path, openedAtOnce);
  try {
    refuseOthers(fstatSync(file), atMostBytes);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Throws where what was opened is no regular file, or too large. */
function refuseOthers(found: Stats, atMostBytes: number): void {
  if (found.isDirectory()) throw new Error('it is a directory');
  if (!found.isFile()) throw new Error(`it is a ${found.isFIFO() ? 'pipe' : 'device'}; use a regular file`);
  if (found.size > atMostBytes)
    throw new Error(`it has ${found.size} bytes; at most ${atMostBytes} are read`);
}
