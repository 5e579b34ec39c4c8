/**
 * Prints the secrets of a new installation for docker compose:
 *
 *   node deploy/make-env.mjs > .env
 */
import { randomBytes } from 'node:crypto';

const secret = (bytes) => randomBytes(bytes).toString('hex');

console.log(`# Secrets of this installation; keep them out of version control.
POSTGRES_PASSWORD=${secret(24)}
CANDOR_SIGNING_KEY=${secret(32)}
# Encrypts the credentials of sources; keep it with the backups of the database:
CANDOR_ENCRYPTION_KEYS=first:${randomBytes(32).toString('base64')}
# Signs the audit trail; keep it with the backups, too:
CANDOR_AUDIT_KEYS=first:${randomBytes(32).toString('base64')}
# The first API key, with which you make the others:
CANDOR_BOOTSTRAP_KEY=gm_${secret(8)}_${secret(32)}`);
