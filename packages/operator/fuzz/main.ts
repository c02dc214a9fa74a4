// `npm run fuzz`: see docs/contributing/testing.md.
import { describeBatch } from './describe-run.ts';
import { readFuzzOptions } from './fuzz-options.ts';

const options = readFuzzOptions(process.argv.slice(2));
console.log(`${options.objects} objects of each kind, seed ${options.seed}`);
// Not before: a wrong flag is answered at once.
const { runFuzz } = await import('./run-fuzz.ts');
const batches = await runFuzz(options, (batch) => {
  console.log(describeBatch(batch));
});
process.exitCode = batches.some(({ wrong }) => wrong.length > 0) ? 1 : 0;
