/** A `Command` of commander, as far as it is needed: this package has no command line of its own. */
export interface RefusingCommand {
  readonly commands: readonly RefusingCommand[];
  readonly options: readonly RefusingOption[];
  readonly parent: RefusingCommand | null;
  name(): string;
  configureOutput(configuration: {
    readonly outputError: (text: string, write: (text: string) => void) => void;
  }): unknown;
}

/** An option of it. */
export interface RefusingOption {
  /** `--workers <n>`. */
  readonly flags: string;
  readonly argChoices?: readonly string[] | undefined;
  /** A `ValueParser` names what it allows. */
  readonly parseArg?: unknown;
}

/**
 * Makes a command and all of its commands answer a wrong command line in one line: what is wrong, what is allowed, and where the rest is
 * explained. To be called when all commands and options are there.
 */
export function refuseInOneLine(command: RefusingCommand): void {
  command.configureOutput({
    outputError: (text, write) => write(`${refusalOf(text, command)}\n`),
  });
  for (const each of command.commands) refuseInOneLine(each);
}

function refusalOf(text: string, command: RefusingCommand): string {
  const [first = '', ...rest] = text.trim().split('\n');
  const allowed = allowedInstead(first, command);
  // Commander's suggestion is a line of its own: "(Did you mean --workers?)".
  const suggestion = rest.map((line) => ` ${line.replace('(Did', '(did')}`).join('');
  const sentence = `${first.replace(/\.$/, '')}${suggestion}${allowed}`.replace(/\.$/, '');
  return `${sentence}. ${pathOf(command)} --help shows what is allowed`;
}

/** What is allowed where nothing was given; the message of a wrong value has it already. */
function allowedInstead(refusal: string, command: RefusingCommand): string {
  if (!refusal.endsWith(' argument missing')) return '';
  const option = [...optionsOf(command)].find(({ flags }) => refusal.includes(`'${flags}'`));
  const allowed = option?.argChoices?.join(', ') ?? allowedBy(option?.parseArg);
  return allowed === undefined ? '' : `. Allowed is ${allowed}`;
}

function allowedBy(parser: unknown): string | undefined {
  if (typeof parser !== 'function' || !('allowed' in parser)) return undefined;
  return typeof parser.allowed === 'string' ? parser.allowed : undefined;
}

function* optionsOf(command: RefusingCommand): Iterable<RefusingOption> {
  yield* command.options;
  if (command.parent !== null) yield* optionsOf(command.parent);
}

/** The command behind those that it belongs to: `kubectl get`. */
function pathOf(command: RefusingCommand): string {
  const above = command.parent === null ? '' : `${pathOf(command.parent)} `;
  return `${above}${command.name()}`;
}
