/** How far it is, for people: standard output is for what was measured. */
export function progress(message: string): void {
  process.stderr.write(`${message}\n`);
}
