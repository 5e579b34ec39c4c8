import {
  answerEnvelopeJsonSchema,
  parseSynthesisOutput,
  synthesisOutputJsonSchema,
  type AnswerProvider,
  type EvidencePrompt,
  type PortContext,
  type ReasoningAnswerProvider,
  type SynthesisOutput,
  type SynthesisRequest,
} from '@candor/reasoning';
import OpenAI from 'openai';
import { ANSWER_QUESTION_SYSTEM_PROMPT, buildAnswerQuestionPrompt } from '../../prompts/answer-question.v1.prompt.js';
import { throwIfAborted } from '../abort-error.js';
import { createBoundedFetch } from './bounded-fetch.js';
import { boundOutput, type OutputBounds } from './output-bounds.js';
import { judgeFailure, ProviderFailure, toProviderFailure } from './provider-failure.js';
import { readContent } from './read-content.js';
import { TransportBreaker } from './transport-breaker.js';

export interface OpenAiCompatibleOptions {
  /** Up to and without `/chat/completions`, e.g. `https://llm.example.com/v1`. */
  baseUrl: string;
  model: string;
  /** Some local servers need none. */
  apiKey?: string;
  /** For one whole call, headers and body. Keep it below the request's deadline, or a hanging provider never trips the circuit. */
  timeoutMs?: number;
  /** Most tokens the model may write; what is read of its answer is bounded by it. */
  maxOutputTokens?: number;
  /** How long an open circuit waits before it tries again. */
  circuitResetMs?: number;
}

/**
 * One call to `{baseUrl}/chat/completions` with a strict JSON schema; no retries, no probe. Prompts and outputs are
 * never logged. Errors: SYNTHESIS.PROVIDER_ERROR, SYNTHESIS.PROVIDER_TIMEOUT, SYNTHESIS.INVALID_OUTPUT,
 * SYNTHESIS.CIRCUIT_OPEN, and what the signal carries.
 */
export class OpenAiCompatibleAnswerProvider implements AnswerProvider, ReasoningAnswerProvider {
  readonly name = 'openai-compatible';
  private readonly client: OpenAI;
  private readonly breaker: TransportBreaker;
  private readonly model: string;
  private readonly timeoutMs: number;
  private readonly maxOutputTokens: number;
  private readonly bounds: OutputBounds;

  constructor(options: OpenAiCompatibleOptions) {
    this.model = options.model;
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.maxOutputTokens = options.maxOutputTokens ?? 2_000;
    this.bounds = boundOutput(this.maxOutputTokens);
    this.client = new OpenAI({
      baseURL: options.baseUrl,
      apiKey: options.apiKey ?? 'not-needed',
      // Nothing from OPENAI_* variables: LLM_BASE_URL and its siblings are the only switches.
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      maxRetries: 0,
      fetch: createBoundedFetch(this.bounds),
      // The client's own timeout ends with the headers; the signal below covers the body too.
      timeout: this.timeoutMs + 1_000,
      // At `debug` the client prints prompts and answers.
      logLevel: 'off',
    });
    this.breaker = new TransportBreaker(options.circuitResetMs ?? 30_000, judgeFailure);
  }

  async synthesize({ query, packet, signal }: SynthesisRequest): Promise<SynthesisOutput> {
    const prompt = { system: ANSWER_QUESTION_SYSTEM_PROMPT, user: buildAnswerQuestionPrompt(query, packet) };
    const schema = { name: 'synthesis_output', schema: synthesisOutputJsonSchema() };
    return parseSynthesisOutput(await this.complete(prompt, schema, signal));
  }

  /** `AnswerEnvelope` JSON as the model wrote it; the engine checks it. */
  answer(prompt: EvidencePrompt, { signal }: PortContext): Promise<string> {
    return this.complete(prompt, { name: 'answer_envelope', schema: answerEnvelopeJsonSchema() }, signal);
  }

  /** Stops the circuit's timers. */
  close(): void {
    this.breaker.close();
  }

  private async complete(
    { system, user }: EvidencePrompt,
    { name, schema }: { name: string; schema: Record<string, unknown> },
    signal: AbortSignal | undefined,
  ): Promise<string> {
    throwIfAborted(signal);
    const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model: this.model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
      temperature: 0,
      // Compatible servers know this name; its successor is OpenAI's own and rejected or ignored elsewhere.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      max_tokens: this.maxOutputTokens,
      response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
    };
    // The breaker sees transport only; what the model wrote is judged outside of it.
    return readContent(await this.attempt(body, signal), this.bounds);
  }

  private async attempt(
    body: OpenAI.ChatCompletionCreateParamsNonStreaming,
    caller: AbortSignal | undefined,
  ): Promise<unknown> {
    try {
      return await this.breaker.run(async () => {
        const timeout = AbortSignal.timeout(this.timeoutMs);
        const signal = caller === undefined ? timeout : AbortSignal.any([caller, timeout]);
        try {
          return await this.client.chat.completions.create(body, { signal });
        } catch (error) {
          throw toProviderFailure(error, caller, timeout);
        }
      });
    } catch (error) {
      throw error instanceof ProviderFailure ? error.appError : error;
    }
  }
}
