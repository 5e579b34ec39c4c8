import { safeLink } from './safe-link.js';

describe('safeLink', () => {
  it.each(['https://example.com/a?b#c', 'http://example.com/'])('links %s', (url) => expect(safeLink(url)).toBe(url));

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    '//example.com',
    '/v1/user/me',
    '',
    null,
  ])('does not link %p', (url) => expect(safeLink(url)).toBeUndefined());
});
