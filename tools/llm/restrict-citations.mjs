/**
 * The schema of an answer envelope in which a citation can only be the id of a passage in the prompt. A small model copies
 * ids badly; so they are right by grammar. null when the prompt isn't an evidence payload.
 */
export function restrictCitations(prompt) {
  const ids = readIds(prompt);
  if (ids.length === 0) return null;
  return {
    type: 'object',
    properties: {
      answer: { type: 'string', maxLength: 80 },
      citations: { type: 'array', minItems: 1, maxItems: 1, items: { enum: ids } },
      insufficient_evidence: { type: 'boolean' },
    },
  };
}

function readIds(prompt) {
  try {
    const { evidence } = JSON.parse(prompt);
    return Array.isArray(evidence) ? evidence.map(({ id }) => id) : [];
  } catch {
    return [];
  }
}
