import { describe, expect, it } from '@jest/globals';
import type { AnswerableBundle, EvidenceItem } from '../evidence/evidence-bundle.js';
import { makeHit, makeTrusted, scriptRetriever } from '../testing/scripted-ports.js';
import type { TrustedResult } from '../trust/trusted-result.js';
import type { TrustState } from '../trust/trust-state.js';
import type { ReasoningRequest } from './reasoning-request.js';
import type { AbstainedResponse, AnsweredResponse, ReasoningResponse } from './reasoning-response.js';

/** True when a value of the first type can stand where the second is wanted. */
type Fits<Value, Wanted> = Value extends Wanted ? true : false;
type Trusted = { state: 'trusted'; failureCode: null };
type With<Base, Over> = Omit<Base, keyof Over> & Over;

/** Compile-time checks: `tsc` fails here when an impossible state becomes possible. */
describe('impossible states do not compile', () => {
  it('in a response', () => {
    const noCitations: Fits<With<AnsweredResponse, { citations: [] }>, ReasoningResponse> = false;
    const noEvidence: Fits<With<AnsweredResponse, { evidence: null }>, ReasoningResponse> = false;
    const noItems: Fits<
      With<AnsweredResponse, { evidence: With<AnswerableBundle, { items: [] }> }>,
      ReasoningResponse
    > = false;
    const answeredRefusal: Fits<With<AnsweredResponse, { refusalReason: 'corpus_gap' }>, ReasoningResponse> = false;
    const abstainedAnswer: Fits<With<AbstainedResponse, { answer: string }>, ReasoningResponse> = false;
    const abstainedReview: Fits<
      With<AbstainedResponse, { refusalReason: 'review_required_policy' }>,
      ReasoningResponse
    > = false;
    const reviewOfNothing: Fits<
      With<AbstainedResponse, { outcome: 'needs_review'; refusalReason: 'empty_query' }>,
      ReasoningResponse
    > = false;
    const clarifiedEvidence: Fits<
      With<AbstainedResponse, { outcome: 'needs_clarification'; refusalReason: 'empty_query' }>,
      ReasoningResponse
    > = false;
    const possible: Fits<AnsweredResponse, ReasoningResponse> = true;
    expect([
      noCitations,
      noEvidence,
      noItems,
      answeredRefusal,
      abstainedAnswer,
      abstainedReview,
      reviewOfNothing,
      clarifiedEvidence,
    ]).not.toContain(true);
    expect(possible).toBe(true);
  });

  it('in trust and evidence', () => {
    const trustedFailure: Fits<{ state: 'trusted'; failureCode: 'CALIBRATION_STALE' }, TrustState> = false;
    const degradedForNothing: Fits<{ state: 'degraded'; failureCode: null }, TrustState> = false;
    const demotedItem: Fits<With<EvidenceItem, { verdict: 'superseded' }>, EvidenceItem> = false;
    type Uncalibrated = With<
      TrustedResult,
      {
        trustState: Trusted;
        calibration: { status: 'missing'; calibrationId: null; querySetDigest: null; threshold: null };
      }
    >;
    const trustedUncalibrated: Fits<Uncalibrated, TrustedResult> = false;
    type Nameless = With<
      TrustedResult,
      {
        trustState: Trusted;
        identity: { tenantId: string; generationId: null; pipelineFingerprint: null; corpusFingerprint: null };
      }
    >;
    const trustedNameless: Fits<Nameless, TrustedResult> = false;
    expect([trustedFailure, degradedForNothing, demotedItem, trustedUncalibrated, trustedNameless]).not.toContain(true);
  });

  it('in a request', () => {
    const providers = { retriever: scriptRetriever(makeTrusted([makeHit('c1')])) };
    // @ts-expect-error a proposal policy needs a graph provider
    const planless: ReasoningRequest = { query: '', tenantId: 't', policy: { name: 'proposal_assisted' }, providers };
    // @ts-expect-error so does the flag
    const flagged: ReasoningRequest = {
      query: '',
      tenantId: 't',
      policy: { allowProposalGuidedExpansion: true },
      providers,
    };
    // @ts-expect-error a retriever is needed
    const blind: ReasoningRequest = { query: '', tenantId: 't', providers: {} };
    // @ts-expect-error there is no such policy
    const unknown: ReasoningRequest = { query: '', tenantId: 't', policy: { name: 'creative' }, providers };
    const plain: ReasoningRequest = { query: '', tenantId: 't', policy: { name: 'retrieval_only' }, providers };
    expect([planless, flagged, blind, unknown, plain]).toHaveLength(5);
  });
});
