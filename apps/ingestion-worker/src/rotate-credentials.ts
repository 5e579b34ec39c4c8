import { AppError } from '@candor/contracts';
import { storeCredentials, takeStaleCredentials, type Database, type EncryptedCredentials } from '@candor/persistence';
import { credentialOwner, type CredentialCipher } from '@candor/runtime';

const BATCH = 100;

export interface Rotation {
  rotated: number;
  /** Encrypted with a key that isn't among ours any more: these sources need their credentials anew. */
  unreadable: number;
}

/**
 * Encrypts every source's credentials with the newest key. Each batch is a commit of its own, so it may be stopped and
 * started again, and beside running services. When nothing is unreadable, the old keys can go.
 */
export async function rotateCredentials(database: Database, cipher: CredentialCipher): Promise<Rotation> {
  const rotation: Rotation = { rotated: 0, unreadable: 0 };
  let after: string | null = null;
  do {
    const page: { after: string | null; limit: number } = { after, limit: BATCH };
    after = await database.system('credential-rotation').transaction(async (transaction) => {
      const stale = await takeStaleCredentials(transaction, cipher.keyId, page);
      for (const { id, tenantId, credentials } of stale) {
        const sealed = reseal(cipher, credentials, credentialOwner({ tenantId, id }));
        if (sealed) await storeCredentials(transaction, id, sealed);
        rotation[sealed ? 'rotated' : 'unreadable'] += 1;
      }
      return stale.at(-1)?.id ?? null;
    });
  } while (after !== null);
  return rotation;
}

function reseal(
  cipher: CredentialCipher,
  credentials: EncryptedCredentials,
  owner: string,
): EncryptedCredentials | null {
  try {
    return cipher.seal(cipher.open(credentials, owner), owner);
  } catch (error) {
    if (error instanceof AppError && error.code === 'CONNECTOR.CREDENTIALS_UNREADABLE') return null;
    throw error;
  }
}
