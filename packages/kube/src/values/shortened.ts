/**
 * The text in at most so many bytes of UTF-8, in which the API server counts. Of a longer one the middle goes, and an ellipsis takes its
 * place: a message begins with the object and what is wrong with it, and ends with what to do, and what a server answered ends with the
 * reason. No character is cut in two, in whose place the API server would keep another.
 */
export function shortened(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const all = Buffer.from(text);
  const room = bytes - Buffer.byteLength(ellipsis);
  const head = Math.ceil(room / 2);
  let tail = all.length - (room - head);
  while (isWithinCharacter(all[tail])) tail++;
  // Streaming leaves out what of its last character is not there.
  const begins = new TextDecoder().decode(all.subarray(0, head), { stream: true });
  return `${begins}${ellipsis}${all.toString('utf8', tail)}`;
}

const ellipsis = '…';

function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
}
