import { kindDefinitions } from '../definitions/kind-definitions.ts';
import { runCommandLine } from './run-command-line.ts';

await runCommandLine(kindDefinitions);
