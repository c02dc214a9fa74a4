import module from 'node:module';
import { join } from 'node:path';
import { homeFolder } from './home-folder.ts';

/**
 * From the second start on nothing is compiled again. Call it before anything else is loaded. Without effect where there is no home, where
 * the folder cannot be written, as in a container whose files are read-only, and on a Node that cannot keep what it compiled. NODE_COMPILE_CACHE names another folder.
 */
export function useCompileCache(program: string): void {
  const home = homeFolder(process.env);
  const cacheHome = process.env['XDG_CACHE_HOME'] ?? (home === undefined ? undefined : join(home, '.cache'));
  const own = cacheHome === undefined ? undefined : join(cacheHome, program, 'compiled');
  const folder = process.env['NODE_COMPILE_CACHE'] ?? own;
  // Since Node 22.8.
  if (folder !== undefined && 'enableCompileCache' in module) module.enableCompileCache(folder);
}
