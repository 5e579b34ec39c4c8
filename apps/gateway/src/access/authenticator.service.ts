import { AppError } from '@candor/contracts';
import { findKeyBySecret, type Database } from '@candor/persistence';
import { keyFromHeader, parseApiKey, sameSecret } from './api-key-secret.js';
import { toCaller, type Caller } from './caller.js';

export class AuthenticatorService {
  constructor(private readonly database: Database) {}

  /** Reads the key anew for every request, so a revocation holds for the very next one. */
  async authenticate(authorization: string | undefined): Promise<Caller> {
    if (authorization === undefined) throw new AppError('AUTH.MISSING_KEY');
    const presented = parseApiKey(keyFromHeader(authorization) ?? '');
    if (!presented) throw new AppError('AUTH.INVALID_KEY');
    const stored = await this.database
      .system('authentication')
      .read((manager) => findKeyBySecret(manager, presented.publicId));
    if (!stored || !sameSecret(stored.secretSha256, presented.secretSha256)) throw new AppError('AUTH.INVALID_KEY');
    const { apiKey, tenant } = stored;
    const expired = apiKey.expiresAt !== null && apiKey.expiresAt.getTime() <= Date.now();
    if (apiKey.revokedAt || expired) throw new AppError('AUTH.INVALID_KEY');
    return toCaller(apiKey, tenant);
  }
}
