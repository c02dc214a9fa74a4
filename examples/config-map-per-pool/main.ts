import { kindDefinitions, runCommandLine } from '@atoll/operator';
import { poolConfigDefinition } from './definition.ts';

await runCommandLine([...kindDefinitions, poolConfigDefinition]);
