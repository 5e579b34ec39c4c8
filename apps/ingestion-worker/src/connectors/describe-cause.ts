/** What the clients' errors are called, without what they carry: requests with tokens, answers with content. For logs. */
export function describeCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('not an Error');
  const { code, status, statusCode } = error as { code?: unknown; status?: unknown; statusCode?: unknown };
  const facts = [code, status, statusCode].filter((fact) => typeof fact === 'string' || typeof fact === 'number');
  return new Error([error.name, ...new Set(facts)].join(' '));
}
