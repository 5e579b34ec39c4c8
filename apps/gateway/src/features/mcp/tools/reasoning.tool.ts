import { reasoningBodySchema, reasoningRoute, type ReasoningResponseJson } from '@candor/contracts';
import { defineTool } from './define-tool.js';
import { bullets, code, inline, paragraphs, quote, section, withoutHeadings } from './markdown.js';

export const reasoningTool = defineTool({
  name: 'reasoning',
  title: 'Reason over trusted evidence',
  description:
    'A typed, bounded, fail-closed answer: outcome `answered`, `abstained`, `needs_clarification` or `needs_review`, with evidence, trace, ' +
    'contradictions and trust state. Refuses by default when its evidence is not certified. Use `reason` for a best-effort cited answer.',
  route: reasoningRoute,
  arguments: reasoningBodySchema,
  argumentDescriptions: {
    query: 'The question.',
    tenant_id: "Must be the key's own; best left out.",
    generation: 'What index must be served; another one abstains.',
    known_as_of: 'What was known at this instant (ISO 8601 with a time zone).',
    policy:
      '`evidence_assembly` (default), `retrieval_only` (evidence, no answer), `proposal_assisted` or `review_required`; or an object with a name and fields.',
    budget: 'Bounds of planning and evidence.',
    evidence_policy: 'How much evidence, and the words (`answer_slots`) that it must speak of.',
  },
  toInput: (body) => ({ body }),
  render: renderReasoning,
  isLong: true,
});

type JsonObject = ReasoningResponseJson['citations'][number];

function renderReasoning(response: ReasoningResponseJson): string {
  const { outcome, answer, clarification_request: clarification, refusal_reason: refusal } = response;
  const trust = response.trust_state;
  return paragraphs([
    ...section('Outcome', [outcome, ...(refusal === null ? [] : [refusal])].join(': ')),
    ...section('Answer', withoutHeadings(answer ?? '')),
    ...section('Clarification', withoutHeadings(clarification ?? '')),
    ...section('Citations', response.citations.map(renderCited).join('\n')),
    ...section(
      'Contradictions',
      response.contradictions.map((each) => renderContradiction(each, hasReadRelations(response))).join('\n\n'),
    ),
    ...section('Proposals, which are no evidence', bullets(response.proposals.map(renderWhole))),
    ...section('Unsupported', bullets(response.unsupported_gaps.map((gap) => renderGap(gap)))),
    ...section('Failures of providers', bullets(response.provider_failures.map(renderWhole))),
    ...section('Trust', trust === null ? '' : renderWhole(trust)),
  ]);
}

function renderCited(cited: JsonObject): string {
  const title = inline(text(cited, 'document_title'));
  const ids = `chunkId ${code(text(cited, 'chunk_id'))} · documentId ${code(text(cited, 'document_id'))}`;
  const quotation = text(cited, 'quotation');
  return [`- ${title} · ${ids}`, ...(quotation === '' ? [] : [quote(quotation)])].join('\n');
}

/** Only some policies load what is declared: without it nothing is known of what would settle a contradiction. */
function hasReadRelations({ trace }: ReasoningResponseJson): boolean {
  const steps: unknown = trace['steps'];
  return (
    Array.isArray(steps) &&
    steps.some((step) => isObject(step) && step['kind'] === 'load_graph' && step['result'] === 'completed')
  );
}

function renderContradiction(contradiction: JsonObject, hasRelations: boolean): string {
  const sides = ['left', 'right'].map((name) => contradiction[name]).filter(isObject);
  const open = hasRelations ? 'nothing declared settles it' : 'declared relations were not looked at';
  const settled = contradiction['settled_by'] === null ? open : 'a declared relation settles it';
  return [`${inline(text(contradiction, 'subject'))} (${settled})`, ...sides.map(renderCited)].join('\n');
}

function renderGap(gap: ReasoningResponseJson['unsupported_gaps'][number]): string {
  return isObject(gap) ? inline(`${text(gap, 'kind')}: ${text(gap, 'detail')}`) : inline(String(gap));
}

function renderWhole(value: JsonObject): string {
  return code(JSON.stringify(value).replaceAll('`', "'"));
}

function text(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
