import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** From the second start on nothing is compiled again. Without effect where the folder cannot be written. */
export function useCompileCache(): void {
  const cacheHome = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? join(cacheHome, 'atoll', 'compiled'));
}
