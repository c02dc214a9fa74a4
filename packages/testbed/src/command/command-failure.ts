export const exitCodes = { failed: 1, usage: 2, notUp: 3, interrupted: 130 } as const;

/** Ends the command with one message and an exit code. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}
