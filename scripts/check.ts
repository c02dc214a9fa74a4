// `npm run check`: format, lint, types and generated files.
import { runChecks } from './checks.ts';
import { withoutArguments } from './without-arguments.ts';

withoutArguments('usage: npm run check\n\nFormat, lint, types and generated files.');

const failed = await runChecks();
process.exitCode = failed.length === 0 ? 0 : 1;
