const NONCE_PLACE = '__CSP_NONCE__';

/**
 * What the page may do: run and load what this gateway serves, and nothing else. The nonce is for the few style elements that
 * the component library makes; scripts get none, so that nothing inline ever runs. No text can become markup by accident:
 * the browser is told to refuse strings where markup or a script is expected.
 */
export function pagePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

export function pageHeaders(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy': pagePolicy(nonce),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  };
}

export function renderPage(page: string, nonce: string): string {
  return page.replaceAll(NONCE_PLACE, nonce);
}
