import { afterAll, beforeAll, describe } from '@jest/globals';
import { ScriptedModelServer } from '@candor/testkit';
import { describeProfile, type StartedProfile, type WorldOf } from './world.js';

/** What the installation shows the model, and nobody else. */
export const MODEL_KEY = 'sk-planted-secret';
/** Long enough for what the tests change while an answer is held. */
const TIMEOUT_MS = 5_000;

/** Runs the suites over an installation of their own whose model a script plays; it is empty, and asks the model for its first tenant. */
export function describeProfileWithModel(
  name: string,
  start: (env: Record<string, string>) => Promise<StartedProfile>,
  describeSuites: (world: WorldOf, model: () => ScriptedModelServer) => void,
): void {
  describe(`${name} with a model`, () => {
    let model: ScriptedModelServer;
    beforeAll(async () => {
      model = await ScriptedModelServer.start();
    });
    afterAll(() => model?.stop());

    describeProfile(
      name,
      () =>
        start({
          CANDOR_DEMO: 'off',
          LLM_BASE_URL: model.baseUrl,
          LLM_MODEL: 'scripted-1',
          LLM_API_KEY: MODEL_KEY,
          LLM_TIMEOUT_MS: String(TIMEOUT_MS),
        }),
      (world) => describeSuites(world, () => model),
    );
  });
}
