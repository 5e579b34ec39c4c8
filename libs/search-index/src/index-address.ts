import { invalidField } from '@candor/contracts';
import type { IndexAddress } from './search-index.port.js';

// Fixed-length tenant ids make `<tenant>-<generation>` unambiguous, and neither part can leave a directory.
const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const GENERATION = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** Refuses with REQUEST.INVALID what could not be an index name or a directory of one tenant alone. */
export function assertAddress(address: IndexAddress): void {
  if (!TENANT_ID.test(address.tenantId)) throw invalidField('tenantId', 'must be a lower-case UUID');
  if (!GENERATION.test(address.generation)) {
    throw invalidField('generation', 'must be 1 to 64 lower-case letters, digits and dashes');
  }
  // Such a generation's live index would be another one's history or write alias.
  if (/-(history|write)$/.test(address.generation)) {
    throw invalidField('generation', 'must not end in -history or -write');
  }
}
