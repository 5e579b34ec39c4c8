import { installWithApt } from '../apt/install-with-apt.js';
import { findProgram } from '../find-program.js';
import type { OnProgress } from '../running-service.js';
import { ServiceStartError } from '../service-start.error.js';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];
const HINT = 'install chromium with the package manager, or set CANDOR_CHROMIUM to a browser that is built on it';

export interface ProvideChromiumOptions {
  /** Names one that is there; default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  readonly onProgress?: OnProgress;
}

/**
 * The path of a real Chromium for tests of pages: the one in CANDOR_CHROMIUM, else one on PATH, else Debian's.
 *
 * @throws ServiceStartError saying what is in the way.
 */
export async function provideChromium({
  env = process.env,
  onProgress = () => undefined,
}: ProvideChromiumOptions = {}): Promise<string> {
  const given = env['CANDOR_CHROMIUM'];
  if (given !== undefined && given !== '') return given;
  const present = await findProgram(PROGRAMS);
  if (present !== undefined) return present;
  await installWithApt('chromium', HINT, onProgress);
  const installed = await findProgram(PROGRAMS);
  if (installed === undefined) {
    throw new ServiceStartError('chromium was installed but is still not on PATH; set CANDOR_CHROMIUM');
  }
  return installed;
}
