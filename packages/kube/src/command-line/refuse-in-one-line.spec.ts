import { expect, it } from 'vitest';
import { refuseInOneLine, type RefusingCommand, type RefusingOption } from './refuse-in-one-line.ts';
import { wholeNumber } from './value-parsers.ts';

/** As commander has it: what is wrong, and on the next line a suggestion. */
function command(
  name: string,
  options: readonly RefusingOption[] = [],
  commands: readonly (RefusingCommand & { readonly refuse: (text: string) => string })[] = [],
) {
  let answer: (text: string, write: (text: string) => void) => void = () => undefined;
  const made = {
    commands,
    options,
    parent: null as RefusingCommand | null,
    name: () => name,
    configureOutput: ({ outputError }: { outputError: typeof answer }) => {
      answer = outputError;
    },
    refuse: (text: string): string => {
      let written = '';
      answer(`${text}\n`, (line) => {
        written += line;
      });
      return written;
    },
  };
  for (const each of commands) (each as { parent: RefusingCommand | null }).parent = made;
  return made;
}

const workers: RefusingOption = { flags: '--workers <n>', parseArg: wholeNumber(1, 9) };
const format: RefusingOption = { flags: '--format <format>', argChoices: ['json', 'text'] };
const get = command('get', [format]);
const program = command('program', [workers], [get]);
refuseInOneLine(program);

it.each([
  [
    "error: unknown option '--wrokers'\n(Did you mean --workers?)",
    "error: unknown option '--wrokers' (did you mean --workers?). program --help shows what is allowed\n",
  ],
  [
    "error: option '--workers <n>' argument '0' is invalid. Allowed is a whole number from 1 to 9.",
    "error: option '--workers <n>' argument '0' is invalid. Allowed is a whole number from 1 to 9. program --help shows what is allowed\n",
  ],
  [
    "error: option '--workers <n>' argument missing",
    "error: option '--workers <n>' argument missing. Allowed is a whole number from 1 to 9. program --help shows what is allowed\n",
  ],
  [
    "error: option '--file <path>' argument missing",
    "error: option '--file <path>' argument missing. program --help shows what is allowed\n",
  ],
])('%j is one line with what is allowed', (text, line) => {
  expect(program.refuse(text)).toBe(line);
});

it.each([
  ["error: option '--format <format>' argument missing", 'Allowed is json, text'],
  ["error: option '--workers <n>' argument missing", 'Allowed is a whole number from 1 to 9'],
])('of a command, %j leads to its own help, also for a flag of the program', (text, allowed) => {
  expect(get.refuse(text)).toBe(`${text}. ${allowed}. program get --help shows what is allowed\n`);
});
