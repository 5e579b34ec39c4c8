import type { EvidencePacket } from './build-evidence-packet.js';

export interface SynthesisRequest {
  query: string;
  packet: EvidencePacket;
  /** Its `reason`, when an AppError, is what an aborted call rejects with; else REQUEST.CANCELLED. */
  signal?: AbortSignal;
}

/**
 * Writes statements over a packet; exactly one call a question, never repeated. It returns the synthesis output as
 * JSON text or as a value, and the engine checks it either way. Errors: SYNTHESIS.INVALID_OUTPUT,
 * SYNTHESIS.PROVIDER_ERROR, SYNTHESIS.PROVIDER_TIMEOUT, SYNTHESIS.CIRCUIT_OPEN, REQUEST.CANCELLED, DEPENDENCY.*.
 */
export interface AnswerProvider {
  /** For the audit event, e.g. `extractive`. */
  readonly name: string;
  synthesize(request: SynthesisRequest): Promise<string | object>;
}
