/**
 * For a script that takes no arguments: `--help` prints how it is used, and anything else ends it with code 2, so that a misspelt
 * flag does not begin an hour of tests.
 */
export function withoutArguments(usage: string, given: readonly string[] = process.argv.slice(2)): void {
  const [first] = given;
  if (first === undefined) return;
  if (first === '--help' || first === '-h') {
    console.log(usage);
    process.exit(0);
  }
  const command = /^usage: (npm (?:run )?\S+)/.exec(usage)?.[1] ?? '';
  console.error(
    `error: no argument is allowed, and "${first}" was given. ${command} -- --help shows how it is used`,
  );
  process.exit(2);
}
