export interface RunningService {
  readonly url: string;
  /** Process id of the server itself. */
  readonly pid: number;
  /** Resolves when the server is gone, whoever stopped it. */
  readonly exited: Promise<void>;
  /** Stops cleanly and keeps the data; safe to call twice and after the server died. */
  stop(): Promise<void>;
  /** SIGKILL, for fault tests: the server gets no chance to write anything. */
  kill9(): Promise<void>;
}

/** One line for people, without secrets. */
export type OnProgress = (line: string) => void;
