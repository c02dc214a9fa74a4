// `npm test` and `npm run test:all`: the checks, integration tests on real control planes, and beside them what only computes: unit and
// property tests, and explorations. The last line is the true count of all of them.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { checks, runChecks, runCommand } from './checks.ts';
import { temporaryFolder } from './end-with-us.ts';
import { slowTests } from './vitest/slow-integration.ts';
import { withoutArguments } from './without-arguments.ts';

/** Set by `npm run test:all`. */
const all = '--all';
const [first, ...rest] = process.argv.slice(2);
const takesAll = first === all;
withoutArguments(
  takesAll
    ? 'usage: npm run test:all\n\nAll checks and all tests but the long ones (npm run test:long).'
    : `usage: npm test

All checks, unit tests and explorations, and the integration tests but the slow ones: npm run test:all has these too.
Some of them: npm run test:unit -- FILE, and likewise test:explore, test:integration.`,
  takesAll ? rest : process.argv.slice(2),
);

interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is counted. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  /** Why the file could not be run. */
  readonly message?: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[] | null;
}

/** What failed, and why: repeated at the end, because a log may be read from there only. */
const failures: string[] = [];
/** Of a failure so many first lines are repeated, and so many last ones: what a command that failed wrote last says why. */
const [firstLines, lastLines] = [12, 24];
const reports = temporaryFolder('atoll-test-');

/** Runs projects of the test runner. A run that ends badly without a failed test counts as one failure. */
async function runTests(projects: readonly string[], ...options: readonly string[]): Promise<Count> {
  const file = join(reports, `${projects.join('-')}.json`);
  const command = [
    'vitest',
    'run',
    ...options,
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ];
  // Lines only: in a terminal each run would draw its progress over the output of the other. A golden text that is missing is a failure then.
  const code = await runCommand(command, { CI: 'true', ...(takesAll ? {} : { [slowTests]: '0' }) });
  const report = readReport(file);
  if (report === undefined) {
    failures.push(`failed: ${projects.join(' and ')} ended with ${code} and without a report`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  failures.push(...report.testResults.flatMap(failuresOf));
  const emptyFailures = report.testResults.filter(
    (result) => result.status === 'failed' && result.assertionResults.length === 0,
  ).length;
  const failed = report.numFailedTests + emptyFailures;
  const counted = { passed: report.numPassedTests, skipped: report.numPendingTests };
  if (code === 0 || failed > 0) return { ...counted, failed };
  failures.push(
    `failed: ${projects.join(' and ')} ended with ${code}, and no test failed: see "Errors" above`,
  );
  return { ...counted, failed: 1 };
}

function failuresOf({ name, status, message, assertionResults }: FileResult): string[] {
  const file = relative(process.cwd(), name);
  if (status === 'failed' && assertionResults.length === 0) return [describeFailure(file, [message ?? ''])];
  return assertionResults
    .filter((test) => test.status === 'failed')
    .map((test) => describeFailure(`${file} > ${test.fullName}`, test.failureMessages ?? []));
}

function describeFailure(title: string, messages: readonly string[]): string {
  const lines = messages
    .join('\n')
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'));
  const left = lines.length - firstLines - lastLines;
  const shown = left > 0 ? lines.toSpliced(firstLines, left, `… ${left} more lines`) : lines;
  return [`failed: ${title}`, ...shown.map((line) => `  ${line}`)].join('\n');
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

/**
 * What only computes takes the processor, at a lower priority, while integration tests wait. Without the slow ones it ends last, and takes both
 * processors of a small machine then.
 */
async function runAll(): Promise<void> {
  const [failedChecks, ...tests] = await Promise.all([
    runChecks(),
    runTests(['integration']),
    runTests(['unit', 'explore'], `--maxWorkers=${takesAll ? 1 : 2}`),
  ]);
  const passed = sum(tests, 'passed') + checks.length - failedChecks.length;
  const failed = sum(tests, 'failed') + failedChecks.length;
  const skipped = sum(tests, 'skipped');
  for (const failure of failures) console.log(failure);
  if (failedChecks.length > 0) console.log(`failed checks: ${failedChecks.join(', ')}`);
  console.log(`${passed} passed, ${failed} failed` + (skipped > 0 ? `, ${skipped} skipped` : ''));
  process.exitCode = failed === 0 ? 0 : 1;
}

function sum(counts: readonly Count[], of: keyof Count): number {
  return counts.reduce((total, count) => total + count[of], 0);
}

await runAll();
