/** As SQuAD's own evaluation compares: case, punctuation and articles don't count. */
export function normalizeAnswer(text) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, ' ')
    .replace(/\b(?:a|an|the)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether one of the answers stands in the text, as whole words. */
export function holdsAnswer(text, answers) {
  const searched = ` ${normalizeAnswer(text)} `;
  return answers.some((answer) => {
    const wanted = normalizeAnswer(answer);
    return wanted !== '' && searched.includes(` ${wanted} `);
  });
}

/** Where each chunk stands in its document. */
export function mapChunks(items) {
  const places = new Map();
  for (const { document, head, version, nodes } of items) {
    for (const { chunkId, start, end } of nodes) {
      places.set(chunkId, {
        documentId: document.id,
        itemId: head.id,
        title: head.title,
        start,
        end,
        text: version.text,
      });
    }
  }
  return places;
}

/** The part of the document that a kept reference quotes, or null where its text isn't found as it stands. */
export function locateQuotation({ chunkId, quotation }, places) {
  const place = places.get(chunkId);
  if (place === undefined) return null;
  const offset = place.text.slice(place.start, place.end).indexOf(quotation);
  if (offset < 0) return null;
  const start = place.start + offset;
  return { documentId: place.documentId, start, end: start + quotation.length };
}

const covers = (part, span) =>
  part !== null && part.documentId === span.documentId && part.start <= span.start && part.end >= span.end;

/** What one answer to one answerable question is worth. */
export function judgeAnswer({ reply, kept }, question, places) {
  const parts = kept.flatMap(({ references }) => references).map((reference) => locateQuotation(reference, places));
  const quotations = kept.flatMap(({ references }) => references.map(({ quotation }) => quotation));
  const documents = new Set(question.spans.map(({ documentId }) => documentId));
  const golden = parts.map((part) => question.spans.some((span) => covers(part, span)));
  return {
    isRefused: reply.ok && kept.length === 0,
    isFailed: !reply.ok,
    quotations: quotations.length,
    goldenQuotations: golden.filter(Boolean).length,
    quotationsOfRightDocument: parts.filter((part) => part !== null && documents.has(part.documentId)).length,
    hasGolden: golden.includes(true),
    isGoldenFirst: golden[0] === true,
    hasAllSupport:
      question.spans.length > 0 && question.spans.every((span) => parts.some((part) => covers(part, span))),
    hasAnswerText: question.answers.length > 0,
    isRight:
      question.answers.length > 0 &&
      (holdsAnswer(quotations.join('\n'), question.answers) ||
        (kept.length > 0 && holdsAnswer(reply.data.answer, question.answers))),
  };
}

export const share = (rows, isCounted) => (rows.length === 0 ? NaN : rows.filter(isCounted).length / rows.length);
export const sum = (rows, valueOf) => rows.reduce((total, row) => total + valueOf(row), 0);
