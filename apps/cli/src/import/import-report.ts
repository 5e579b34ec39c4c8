import type { AppError } from '@candor/contracts';
import { errorJson } from '../refusal.js';

export interface ImportFailure {
  name: string;
  /** Of the API's errors; null when it was never sent. */
  type: string | null;
  message: string;
}

/** What became of each entry. */
export class ImportReport {
  found = 0;
  /** Sent, and new or changed. */
  accepted = 0;
  /** Sent, and known as it is. */
  unchanged = 0;
  /** Searchable by the end of `--wait`. */
  indexed = 0;
  readonly skipped: { name: string; message: string }[] = [];
  readonly failed: ImportFailure[] = [];
  readonly requestIds: string[] = [];
  /** What ended it before its end: what is not settled by then was not sent, or not followed. */
  error: AppError | null = null;

  get settled(): number {
    return this.accepted + this.unchanged + this.skipped.length + this.failed.length;
  }

  toJson(): Record<string, unknown> {
    const { found, accepted, unchanged, indexed, skipped, failed, requestIds } = this;
    const error = this.error && errorJson(this.error);
    return { found, accepted, unchanged, indexed, skipped, failed, requestIds, error };
  }

  toText(waited: boolean): string {
    const counts = [
      `${this.found} found`,
      `${this.accepted} accepted`,
      `${this.unchanged} unchanged`,
      ...(waited ? [`${this.indexed} indexed`] : []),
      `${this.skipped.length} skipped`,
      `${this.failed.length} failed`,
      ...(this.error && this.found > this.settled ? [`${this.found - this.settled} not sent`] : []),
    ];
    const lines = [
      counts.join(', '),
      ...list(
        'Skipped',
        this.skipped.map(({ name, message }) => `${name}: ${message}`),
      ),
      ...list(
        'Failed',
        this.failed.map(({ name, type, message }) => `${name}: ${message}${type ? ` (${type})` : ''}`),
      ),
    ];
    if (!waited && this.accepted > 0) lines.push('Indexing goes on in the background; --wait follows it.');
    return `${lines.join('\n')}\n`;
  }
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`\n${title}:`, ...lines.map((line) => `  ${line}`)];
}
