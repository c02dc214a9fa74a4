// Loaded before the operator's own module: the operator that `npm start` runs ends with it, in order, even when that is
// killed and cannot ask for it. The channel between both closes when either ends, in whatever way.
import { rmSync } from 'node:fs';

/** The folder with the operator's credentials, which nobody else will remove then. */
const directory = new URL(import.meta.url).searchParams.get('directory');
/** How long an orderly end may take, in milliseconds. */
const graceMs = 10_000;

process.on('disconnect', () => {
  process.on('exit', () => {
    if (directory !== null) rmSync(directory, { recursive: true, force: true });
  });
  setTimeout(() => process.exit(1), graceMs).unref();
  process.kill(process.pid, 'SIGTERM');
});
// It is there to be noticed, not to keep the operator running.
process.channel?.unref();
