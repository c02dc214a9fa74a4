import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../binaries/cache-directory.ts';
import { findGo } from '../binaries/find-go.ts';

export interface GoModule {
  readonly path: string;
  readonly version: string;
  /** Of its content, as in a `go.sum`: `h1:…`. Another content under the same version is refused. */
  readonly sum: string;
}

/** The folder that holds the module's content, from Go's module cache; what is not there is downloaded. */
export async function obtainModule(
  { path, version, sum }: GoModule,
  environment: Environment = process.env,
): Promise<string> {
  const go = await findGo(environment);
  // The sum is ours to check; a module by itself needs no other.
  const env = { ...environment, GOTOOLCHAIN: 'local', GOFLAGS: '', GOWORK: 'off', GONOSUMDB: path };
  const args = ['mod', 'download', '-json', `${path}@${version}`];
  // What fails is printed on standard output as well.
  const { stdout, stderr } = await promisify(execFile)(go, args, { env, cwd: '/' }).catch(
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
      if (!error.stdout) throw error;
      return { stdout: error.stdout, stderr: error.stderr };
    },
  );
  const { Dir, Sum, Error: problem = stderr } = JSON.parse(stdout) as Readonly<Record<string, string>>;
  if (Dir === undefined) throw new Error(`${path} ${version} cannot be had: ${problem}`);
  if (Sum !== sum) throw new Error(`${path} ${version} has the sum ${Sum}; expected is ${sum}`);
  return Dir;
}
