import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentPaths, root, stepsOfDocument } from './documents.ts';
import { followedPages, stepsOfPage } from './followed-pages.ts';
import { handledCommands, notCommands } from './handled-commands.ts';

const documents = documentPaths();
const commandsIn = (path: string): readonly string[] =>
  stepsOfDocument(path).steps.flatMap((step) => (step.do === 'run' ? [step.command] : []));

describe('the commands of the documents', () => {
  it.each(documents)('of %s are run by a test, or there is a reason why they are not', (path) => {
    expect(commandsIn(path).filter((command) => !Object.hasOwn(handledCommands, command))).toEqual([]);
  });

  it.each(documents)('are all that is in blocks of %s, but for what is nothing to type', (path) => {
    const { others } = stepsOfDocument(path);
    expect(others.filter((line) => !notCommands.some((pattern) => pattern.test(line)))).toEqual([]);
  });

  it('are all that is listed', () => {
    const found = new Set(documents.flatMap(commandsIn));
    expect(Object.keys(handledCommands).filter((command) => !found.has(command))).toEqual([]);
  });

  it('are in pages that a test follows, where they are listed as run with them', () => {
    const followed = new Set(
      followedPages
        .flatMap((page) => stepsOfPage(page))
        .flatMap((step) => (step.do === 'run' ? [step.command] : [])),
    );
    const missing = Object.entries(handledCommands).filter(
      ([command, handling]) =>
        'run' in handling && handling.run === 'with its document' && !followed.has(command),
    );
    expect(missing.map(([command]) => command)).toEqual([]);
  });

  it('are tested by files that are there', () => {
    const tests = Object.values(handledCommands).flatMap((each) =>
      'testedBy' in each ? [each.testedBy] : [],
    );
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('begin with programs that are there before anything is installed', () => {
    const ours = /^(atoll-|node packages|npx )/;
    expect(documents.flatMap(commandsIn).filter((command) => ours.test(command))).toEqual([]);
  });
});
