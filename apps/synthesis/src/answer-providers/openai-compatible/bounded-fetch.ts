import { findJsonExcess, readAtMost } from '@candor/runtime';
import { invalidOutput } from './invalid-output.js';
import type { OutputBounds } from './output-bounds.js';
import { ProviderFailure } from './provider-failure.js';

/**
 * A `fetch` for the client, which reads whatever it is sent to its end and parses it: here an answer is read first, as far as
 * the bounds allow, and it comes as JSON, whatever the server calls it. Of a failure nothing is read: its status says enough.
 */
export function createBoundedFetch({ bytes, values }: OutputBounds): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { status, headers } = response;
    if (!response.ok) {
      await response.body?.cancel();
      return new Response(null, { status, headers });
    }
    const body = await readAtMost(response.body, bytes);
    if (body === undefined || findJsonExcess(body, values)) {
      throw new ProviderFailure('answered', invalidOutput('too_large'));
    }
    return new Response(body.length > 0 ? body : null, {
      status,
      headers: { 'content-type': 'application/json' },
    });
  };
}
