import { pageHeaders, pagePolicy, renderPage } from './page-policy.js';

describe('what the page may do', () => {
  const directives = new Map(
    pagePolicy('bm9uY2U=')
      .split('; ')
      .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1)]),
  );

  it('loads from this gateway alone, and runs nothing inline', () => {
    expect(directives.get('default-src')).toEqual(["'none'"]);
    expect(directives.get('script-src')).toEqual(["'self'"]);
    expect(directives.get('connect-src')).toEqual(["'self'"]);
    expect(directives.get('style-src')).toEqual(["'self'", "'nonce-bm9uY2U='"]);
    expect(pagePolicy('n')).not.toMatch(/unsafe|\*|data:|https?:/);
  });

  it('is framed by nobody, sends no form, has no base, and takes no string for markup', () => {
    for (const name of ['frame-ancestors', 'form-action', 'base-uri', 'trusted-types'])
      expect(directives.get(name)).toEqual(["'none'"]);
    expect(directives.get('require-trusted-types-for')).toEqual(["'script'"]);
  });

  it('is never kept, and tells no other page where it was', () => {
    expect(pageHeaders('n')).toMatchObject({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  });

  it('puts the nonce into every place that waits for it', () => {
    expect(renderPage('<meta nonce="__CSP_NONCE__" content="__CSP_NONCE__">', 'abc')).toBe(
      '<meta nonce="abc" content="abc">',
    );
  });
});
