import { AppError, type RetrievalCall, type RetrievalClient } from '@candor/contracts';
import type { Embedder } from '@candor/embeddings';
import type { AnswerProvider, ReasoningAnswerProvider } from '@candor/reasoning';
import { ConsentedAnswerProvider } from './answer-providers/consented-answer-provider.js';
import { ExtractiveAnswerProvider } from './answer-providers/extractive/extractive.answer-provider.js';
import { OpenAiCompatibleAnswerProvider } from './answer-providers/openai-compatible/openai-compatible.answer-provider.js';
import type { AnswerProviderEnvironment } from './config.js';

/** Writes statements for `/v1/reason` and answer envelopes for `/v1/reasoning`. */
export type BothFormatsProvider = AnswerProvider & ReasoningAnswerProvider;

/** The provider for one caller's request. */
export type ProviderFor = (call: RetrievalCall) => BothFormatsProvider;

/** With `LLM_BASE_URL`, the model answers for tenants that have consented, and the extractive provider for the others. */
export function createProviderFor(
  config: AnswerProviderEnvironment,
  embedder: Embedder,
  retrieval: RetrievalClient,
): ProviderFor {
  const provider = createAnswerProvider(config, embedder);
  if (config.LLM_BASE_URL === undefined) return () => provider;
  const local = new ExtractiveAnswerProvider(embedder);
  return (call) => new ConsentedAnswerProvider({ external: provider, local, retrieval, call });
}

/** `LLM_BASE_URL` decides, and nothing else. Errors: CONFIG.INVALID, naming the variable. */
export function createAnswerProvider(config: AnswerProviderEnvironment, embedder: Embedder): BothFormatsProvider {
  if (config.LLM_BASE_URL === undefined) return new ExtractiveAnswerProvider(embedder);
  if (config.LLM_MODEL === undefined)
    throw new AppError('CONFIG.INVALID', { message: 'LLM_MODEL must be set together with LLM_BASE_URL' });
  return new OpenAiCompatibleAnswerProvider({
    baseUrl: config.LLM_BASE_URL,
    model: config.LLM_MODEL,
    timeoutMs: config.LLM_TIMEOUT_MS,
    maxOutputTokens: config.LLM_MAX_OUTPUT_TOKENS,
    ...(config.LLM_API_KEY === undefined ? {} : { apiKey: config.LLM_API_KEY }),
  });
}
