/** A program that the supervisor runs. */
export interface ProgramSpec {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Beside the supervisor's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where standard output and error go; appended to on restart. */
  readonly logFile: string;
  /** Programs of a lower layer end later: etcd is 0. */
  readonly layer: number;
}

export type Command =
  | { readonly type: 'start'; readonly spec: ProgramSpec }
  | { readonly type: 'signal'; readonly name: string; readonly signal: NodeJS.Signals }
  /** End everything, layer by layer, and remove the directory. */
  | { readonly type: 'shutdown'; readonly graceMs: number };

export interface Request {
  readonly id: number;
  readonly command: Command;
}

/** What the supervisor gets when it starts, as one JSON argument. */
export interface SupervisorStart {
  /** Removed when the control plane ends, however it ends. */
  readonly directory: string;
  /** Removed likewise. */
  readonly file?: string;
  readonly ownerPid: number;
}

export interface Exit {
  readonly name: string;
  readonly pid: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type Message =
  | { readonly type: 'done'; readonly id: number; readonly pid?: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }
  | { readonly type: 'exit'; readonly exit: Exit };
