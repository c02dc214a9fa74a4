/** The steps that a document asks of its reader, in its order. */
export type DocumentedStep =
  | { readonly do: 'run'; readonly command: string; readonly inline: boolean }
  | { readonly do: 'apply'; readonly manifest: string };

export interface DocumentedSteps {
  readonly steps: readonly DocumentedStep[];
  /** First lines of blocks of code that have no command: output, diagrams. */
  readonly others: readonly string[];
}

const program =
  /^(git|cd|export|npm|npx|node|kubectl|curl|while|bin\/[a-z-]+|atoll-[a-z]+|check-eds|kubectl-eds|helm|docker)( |$)/;

/** The commands and manifests of a Markdown text: of its blocks, and what in its sentences is a whole command. */
export function stepsOf(text: string): DocumentedSteps {
  const steps: DocumentedStep[] = [];
  const others: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  let mayBegin = true;
  const endBlock = (): void => {
    if (block.length > 0) readBlock(block, fence ?? '', steps, others);
    block = [];
  };
  for (const line of text.split('\n')) {
    const marker = /^\s*```(\w*)/.exec(line);
    if (marker !== null) {
      endBlock();
      fence = fence === undefined ? (marker[1] ?? '') : undefined;
      mayBegin = true;
    } else if (fence !== undefined) {
      block.push(line);
    } else if (/^ {4,}\S/.test(line) && (mayBegin || block.length > 0)) {
      block.push(line);
    } else {
      endBlock();
      mayBegin = line.trim() === '';
      for (const [, code = ''] of line.matchAll(/`([^`]+)`/g)) readInline(code, steps);
    }
  }
  endBlock();
  return { steps, others };
}

function readBlock(
  block: readonly string[],
  language: string,
  steps: DocumentedStep[],
  others: string[],
): void {
  if (language === 'yaml') return void steps.push({ do: 'apply', manifest: block.join('\n') });
  if (language !== '' && language !== 'sh') return;
  const lines = block
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/\s+#\s.*$/, '').trim());
  const commands = joinLoops(lines.filter((line) => line !== '')).filter((line) => isCommand(line));
  if (commands.length === 0) others.push((block[0] ?? '').trim());
  for (const command of commands) steps.push({ do: 'run', command, inline: false });
}

/** A loop over several lines is one command. */
function joinLoops(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let open: string | undefined;
  for (const line of lines) {
    const command: string = open === undefined ? line : `${open}\n${line}`;
    const begun =
      / (do|\| while .*)$|; do$/.test(command) || (/\bdo$/m.test(command) && !/^done$/m.test(command));
    open = begun && !/\bdone$/.test(command) ? command : undefined;
    if (open === undefined) joined.push(command);
  }
  return joined;
}

/** Names of commands, as `kubectl scale`, are words of a sentence; a whole one has what it acts on. */
function readInline(code: string, steps: DocumentedStep[]): void {
  const isWhole =
    /^(npm |npx |node \S+|bin\/)/.test(code) || /^(kubectl|atoll-\w+|check-eds) \S+ .*\S/.test(code);
  if (isCommand(code) && isWhole) steps.push({ do: 'run', command: code, inline: true });
}

function isCommand(line: string): boolean {
  return program.test(line);
}
