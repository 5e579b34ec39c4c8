/** What doctor found out about one thing. */
export interface Finding {
  what: string;
  state: 'ok' | 'warning' | 'broken' | 'skipped';
  /** What is so. */
  message: string;
  /** What to do about it; of warnings and of what is broken. */
  mend?: string;
}
