import type { DeclaredRelation, GraphDocument } from '../graph/project-graph.js';

/** Relations r0, r1, …: what isn't said is that the document of c2 supersedes that of c1. */
export function makeRelations(relations: readonly Partial<DeclaredRelation>[]): DeclaredRelation[] {
  return relations.map((relation, index) => ({
    relationId: `r${index}`,
    kind: 'supersedes',
    fromDocumentId: 'document-of-c2',
    toDocumentId: 'document-of-c1',
    origin: 'declared',
    declaredAt: null,
    ...relation,
  }));
}

/** Documents that declare only what is said here. */
export function makeDocuments(
  documents: readonly (Partial<GraphDocument> & { documentId: string })[],
): GraphDocument[] {
  const nothing = { title: '', status: null, validFrom: null, validUntil: null, sourceDate: null };
  return documents.map((document) => ({ ...nothing, ...document }));
}
