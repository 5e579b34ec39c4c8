import { RecordingGateway, type Answer, type Recorded } from './recording-gateway.js';
import { runLine, type LineResult } from './run-line.js';

const KEY = 'gm_abcdefgh_abcdefghijklmnop';
/** Of every refusal. */
export const REQUEST_ID = '354913f5-0631-49e7-8420-a577a1819e13';

export const ok = (body: unknown, status = 200): Answer => ({ status, body });

export const refuse = (
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Answer => ({
  status,
  headers: { 'x-request-id': REQUEST_ID, ...headers },
  body: { error: { code: status, type, message, details: null, requestId: REQUEST_ID } },
});

export interface RunOptions {
  environment?: Record<string, string>;
  input?: string;
  isTTY?: boolean;
}

/** Runs one command line against a gateway that answers as told. */
export async function runAgainst(
  answer: (request: Recorded, count: number) => Answer,
  args: readonly string[],
  options: RunOptions = {},
): Promise<LineResult & { requests: Recorded[] }> {
  const gateway = await RecordingGateway.start(answer);
  try {
    const environment = { CANDOR_URL: gateway.url, CANDOR_API_KEY: KEY, ...options.environment };
    return { ...(await runLine(args, environment, options)), requests: gateway.requests };
  } finally {
    await gateway.stop();
  }
}
