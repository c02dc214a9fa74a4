// The operator with a clock that jumps: `--clock-file FILE` names a file with the milliseconds to add to it. Each jump is written to stderr.
import { readFileSync } from 'node:fs';
import { programFile } from '../../../scripts/build/program-file.ts';

const index = process.argv.indexOf('--clock-file');
const [, file = ''] = process.argv.splice(index, 2);
const real = Date.now.bind(Date);
let offset = 0;

setInterval(() => {
  const before = offset;
  offset = Number(readFileSync(file, 'utf8')) || 0;
  if (offset !== before) console.error(`the clock is ${offset} ms ahead`);
}, 200).unref();
Date.now = () => real() + offset;
await import(programFile('atoll-operator'));
