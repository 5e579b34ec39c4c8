import type { EvidenceBundle } from '../evidence/evidence-bundle.js';
import type { ReasoningResponse } from '../run/reasoning-response.js';
import type { GenerationIdentity } from '../trust/generation-identity.js';

/**
 * Parts of a response that contradict each other, as paths of fields; empty for every response that `reason` gives.
 * The shape is checked before.
 */
export function findInconsistencies(response: ReasoningResponse): string[] {
  const wrong: string[] = [];
  const expect = (holds: boolean, path: string): unknown => holds || wrong.push(path);
  expect(response.trace.stopReason === (response.refusalReason ?? 'answered'), 'trace.stopReason');
  for (const [index, step] of response.trace.steps.entries()) {
    expect(step.index === index + 1, `trace.steps.${index}.index`);
  }
  if (response.outcome === 'needs_clarification') return wrong;

  const { evidence, trustState, calibrationIdentity, generationIdentity } = response;
  expect(sameTrust(trustState, evidence.trustState), 'trustState');
  expect(sameIdentity(generationIdentity, evidence.identity), 'generationIdentity');
  const trusted = trustState.state === 'trusted';
  expect(!trusted || calibrationIdentity?.status === 'certified', 'calibrationIdentity.status');
  expect(!trusted || generationIdentity.generationId !== null, 'generationIdentity.generationId');
  expect(!trusted || generationIdentity.pipelineFingerprint !== null, 'generationIdentity.pipelineFingerprint');
  expect(response.refusalReason !== 'uncertified_evidence' || !trusted, 'refusalReason');
  expect(response.refusalReason !== 'uncertified_evidence' || evidence.items.length === 0, 'evidence.items');
  wrong.push(...findForeignParts(response, evidence));
  return wrong;
}

/** What speaks of evidence or of a generation that isn't the response's own. */
function findForeignParts(response: ReasoningResponse, evidence: EvidenceBundle): string[] {
  const wrong: string[] = [];
  const items = new Map(evidence.items.map((item) => [item.chunkId, item]));
  if (items.size !== evidence.items.length) wrong.push('evidence.items');
  for (const [index, item] of evidence.items.entries()) {
    if (item.ordinal !== index + 1) wrong.push(`evidence.items.${index}.ordinal`);
  }
  for (const [index, { chunkId }] of evidence.excluded.entries()) {
    if (items.has(chunkId)) wrong.push(`evidence.excluded.${index}.chunkId`);
  }
  for (const [index, citation] of response.citations.entries()) {
    const item = items.get(citation.chunkId);
    const bound = item?.ordinal === citation.ordinal && item.documentId === citation.documentId;
    if (!bound || item.documentTitle !== citation.documentTitle) wrong.push(`citations.${index}`);
  }
  for (const [index, proposal] of response.proposals.entries()) {
    // Evidence of no known generation says nothing of a graph's.
    if (![null, proposal.generationId].includes(response.generationIdentity.generationId)) {
      wrong.push(`proposals.${index}.generationId`);
    }
    if (items.has(proposal.proposalId)) wrong.push(`proposals.${index}.proposalId`);
  }
  const known = new Set([...items.keys(), ...evidence.excluded.map(({ chunkId }) => chunkId)]);
  for (const [index, { left, right }] of response.contradictions.entries()) {
    if (!known.has(left.chunkId)) wrong.push(`contradictions.${index}.left.chunkId`);
    if (!known.has(right.chunkId)) wrong.push(`contradictions.${index}.right.chunkId`);
  }
  return wrong;
}

function sameTrust(left: EvidenceBundle['trustState'], right: EvidenceBundle['trustState']): boolean {
  // Trusted is what has no failure code.
  return left.failureCode === right.failureCode;
}

function sameIdentity(left: GenerationIdentity, right: GenerationIdentity): boolean {
  return (
    left.tenantId === right.tenantId &&
    left.generationId === right.generationId &&
    left.pipelineFingerprint === right.pipelineFingerprint &&
    left.corpusFingerprint === right.corpusFingerprint
  );
}
