import { open } from 'node:fs/promises';

/** More than a kubeconfig of a thousand clusters, or the authorities of a large organisation, in bytes. */
const mostTextBytes = 16 * 1024 * 1024;

/**
 * The text of a file of credentials, or of a pipe, which kubectl takes too. Rejects where there is more: a device may never end, and what
 * is read is in memory as a whole.
 */
export async function readText(path: string, atMostBytes = mostTextBytes): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const handle = await open(path);
  // Ends after one byte too many, and closes the file.
  for await (const chunk of handle.createReadStream({ end: atMostBytes })) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  if (bytes > atMostBytes)
    throw new Error(`it has more than ${atMostBytes} bytes, which is the most that is read`);
  return Buffer.concat(chunks).toString('utf8');
}
