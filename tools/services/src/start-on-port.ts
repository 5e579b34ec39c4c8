import { freePort } from './find-free-port.js';
import { PortTakenError } from './service-start.error.js';

const ATTEMPTS = 5;

/** Starts on the wanted port, or on free ones until no other process is faster to take it. */
export async function startOnPort<Result>(wanted: number, start: (port: number) => Promise<Result>): Promise<Result> {
  if (wanted !== 0) {
    return start(wanted);
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === ATTEMPTS) {
        throw error;
      }
    }
  }
}
