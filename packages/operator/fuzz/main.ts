// `npm run fuzz`: see docs/contributing/testing.md.
import { describeBatch } from './describe-run.ts';
import { readFuzzOptions } from './fuzz-options.ts';
import { runFuzz } from './run-fuzz.ts';

const options = readFuzzOptions(process.argv.slice(2));
console.log(`${options.objects} objects of each kind, seed ${options.seed}`);
const batches = await runFuzz(options, (batch) => {
  console.log(describeBatch(batch));
});
process.exitCode = batches.some(({ wrong }) => wrong.length > 0) ? 1 : 0;
