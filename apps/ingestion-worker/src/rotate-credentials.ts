import type { Database} from '@candor/persistence';
import { storeCredentials, takeStaleCredentials } from '@candor/persistence';
import type { CredentialCipher} from '@candor/runtime';
import { credentialOwner } from '@candor/runtime';

const BATCH = 100;

/**
 * Encrypts every source's credentials with the newest key; returns how many weren't. Each batch is a commit of its own, so
 * it may be stopped and started again, and beside running services. The old key can go when it is done.
 */
export async function rotateCredentials(database: Database, cipher: CredentialCipher): Promise<number> {
  for (let rotated = 0; ;) {
    const count = await database.transaction(async (transaction) => {
      const stale = await takeStaleCredentials(transaction, cipher.keyId, BATCH);
      for (const { id, tenantId, credentials } of stale) {
        const owner = credentialOwner({ tenantId, id });
        await storeCredentials(transaction, id, cipher.seal(cipher.open(credentials, owner), owner));
      }
      return stale.length;
    });
    rotated += count;
    if (count === 0) return rotated;
  }
}
