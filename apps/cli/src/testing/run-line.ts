import { PassThrough } from 'node:stream';
import { runCli } from '../run-cli.js';

export interface LineResult {
  exitCode: number;
  out: string;
  error: string;
}

/** Runs one command line with streams of its own; `input` is all of standard input. */
export async function runLine(
  args: readonly string[],
  environment: Record<string, string>,
  { input = '', isTTY = false }: { input?: string | undefined; isTTY?: boolean | undefined } = {},
): Promise<LineResult> {
  const [stdin, out, error] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const exitCode = await runCli(args, environment, { in: stdin, out: Object.assign(out, { isTTY }), error });
  const read = (stream: PassThrough): string => String((stream.read() as Buffer | null) ?? '');
  return { exitCode, out: read(out), error: read(error) };
}
