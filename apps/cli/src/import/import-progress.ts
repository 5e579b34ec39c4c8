import { Presets, SingleBar } from 'cli-progress';

/** A bar with rate and ETA on a terminal, nothing elsewhere. */
export class ImportProgress {
  private readonly bar: SingleBar | null;

  constructor(stream: NodeJS.WritableStream & { isTTY?: boolean }, isWanted: boolean) {
    this.bar =
      isWanted && stream.isTTY
        ? new SingleBar(
            {
              stream,
              format: '{phase} {bar} {value}/{total} | {rate}/s | ETA {eta_formatted}',
              hideCursor: true,
              etaBuffer: 50,
            },
            Presets.shades_classic,
          )
        : null;
  }

  private startedAt = 0;

  start(phase: string, total: number): void {
    this.startedAt = Date.now();
    this.bar?.start(total, 0, { phase, rate: '0' });
  }

  update(value: number, total: number): void {
    const seconds = (Date.now() - this.startedAt) / 1_000;
    this.bar?.setTotal(Math.max(total, value));
    this.bar?.update(value, { rate: seconds > 0 ? (value / seconds).toFixed(1) : '0' });
  }

  stop(): void {
    this.bar?.stop();
  }
}
