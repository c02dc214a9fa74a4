#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

/*
 * All of this before anything else is loaded.
 *
 * A process is given its young generation when it starts, so this one becomes itself again, with the same pid and
 * before it has done anything. In the 1 MB that V8 begins with, objects are moved to the old ones before they are
 * garbage; 4 MB, and one helper instead of four, are an eighth less processor time for a first rollout in a thousand
 * pools. While V8 marks the old generation it would rather let the young one grow than collect it: a pass over a thousand
 * children at such a moment took 15 MB more, for good. The old generation is not collected before it has 40 MB, which
 * is what the caches of a thousand pools come to: it was marked six times on the way there, for nothing. Of 4 MB so
 * little is left that one thread collects it at less cost than two. One arena of malloc instead of one for each thread is
 * 5 MB less, and 8 MB that large buffers leave behind go back to the kernel where these thresholds stay as they are
 * given. Whoever gives other values keeps them, and a parent that talks with this process keeps its channel, which does
 * not survive this.
 */
const startFlags = [
  '--min-semi-space-size=4',
  '--max-semi-space-size=4',
  '--initial-old-space-size=40',
  '--v8-pool-size=1',
  '--no-separate-gc-phases',
  '--no-parallel-scavenge',
];
const isGiven = process.execArgv.some((flag) => flag.startsWith('--max-semi-space-size'));
const mayReplaceItself = process.platform === 'linux' && process.channel === undefined;
if (mayReplaceItself && process.execve !== undefined && !isGiven) {
  const [, ...command] = process.argv;
  const flags = [...process.execArgv, ...startFlags];
  process.execve(process.execPath, [process.execPath, ...flags, ...command], {
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '262144',
    MALLOC_TRIM_THRESHOLD_: '1048576',
    ...process.env,
  });
}

/*
 * From the second start on nothing is compiled again: that saves a third of a start's processor time and a tenth of its
 * memory. Where the cache cannot be written, as in a container whose files are read-only, everything works as without
 * it. It lies where caches lie, not among temporary files; NODE_COMPILE_CACHE names another folder.
 *
 * The caches of a thousand pools need 40 MB. V8 would collect their garbage only at several times that, which costs
 * whoever runs an operator more than the processor time that it saves. The flag is read at each collection and limits
 * nothing: a larger fleet gets what it needs. And most functions that its second compiler takes after 400 calls are done
 * with their work soon after: with 1,200 there are 5 to 15 MB less of them, and no more processor time.
 */
const cacheHome = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? join(cacheHome, 'atoll', 'compiled'));
setFlagsFromString('--heap-growing-percent=20');
setFlagsFromString('--invocation-count-for-maglev=1200');
await import('./start-up/command-line.ts');
