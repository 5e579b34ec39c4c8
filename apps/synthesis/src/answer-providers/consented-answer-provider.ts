import type { RetrievalCall, RetrievalClient } from '@candor/contracts';
import type { EvidencePrompt, PortContext, SynthesisRequest } from '@candor/reasoning';
import type { BothFormatsProvider } from '../create-answer-provider.js';

/** Longest time of the question, ms: it is one row by its key. */
const CONSENT_DEADLINE_MS = 5_000;

export interface ConsentedAnswerProviderOptions {
  /** Sends what it is given to a server elsewhere. */
  external: BothFormatsProvider;
  /** Answers within this process. */
  local: BothFormatsProvider;
  retrieval: RetrievalClient;
  /** Whose request it is, and so whose content. */
  call: RetrievalCall;
}

/**
 * The only way to a model elsewhere: whether the caller's tenant has consented is asked right before anything is sent,
 * each time, so that a consent taken back holds for the next request, and for one that waited in a queue. Without consent
 * the local provider answers. Where it can't be asked the call fails, and nothing was sent.
 */
export class ConsentedAnswerProvider implements BothFormatsProvider {
  private chosen: BothFormatsProvider | undefined;

  constructor(private readonly options: ConsentedAnswerProviderOptions) {}

  /** Of the one that was chosen; before the first call, of the one that answers without consent. */
  get name(): string {
    return (this.chosen ?? this.options.local).name;
  }

  async synthesize(request: SynthesisRequest): Promise<string | object> {
    return (await this.choose(request.signal)).synthesize(request);
  }

  async answer(prompt: EvidencePrompt, context: PortContext): Promise<string | object> {
    return (await this.choose(context.signal)).answer(prompt, context);
  }

  private async choose(signal: AbortSignal | undefined): Promise<BothFormatsProvider> {
    const { external, local, retrieval, call } = this.options;
    this.chosen = local;
    const { result } = await retrieval.call(
      'modelConsent',
      call,
      {},
      {
        deadline: new Date(Date.now() + CONSENT_DEADLINE_MS),
        ...(signal ? { signal } : {}),
      },
    );
    // Whatever else comes back is no consent.
    const isGiven: unknown = result.isGiven;
    this.chosen = isGiven === true ? external : local;
    return this.chosen;
  }
}
