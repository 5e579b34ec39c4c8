import { AppError, type GoogleCredentials } from '@candor/contracts';
import { createPrivateKey } from 'node:crypto';
import { Gaxios, JWT, OAuth2Client, type GaxiosOptions } from 'googleapis-common';
import type { OutboundFetch } from '../outbound-http/outbound-fetch.js';

/** Where service accounts fetch tokens; the client offers no setting for it. */
const SERVICE_TOKEN_URL = 'https://oauth2.googleapis.com/token';

/** Repeating is the fetch's own business. */
class SingleAttemptTransporter extends Gaxios {
  override request<Data>(options: GaxiosOptions = {}): ReturnType<typeof Gaxios.prototype.request<Data>> {
    const { retryConfig, ...once } = options;
    return super.request<Data>({ ...once, retry: false });
  }
}

export interface GoogleAuthOptions {
  fetch: OutboundFetch;
  tokenUrl?: string | undefined;
  scopes: readonly string[];
}

/**
 * One for all clients of a connector, as it keeps the token. Its token requests go through `fetch`; the APIs' own requests
 * through the fetch that their client was given. Tokens are refreshed by the client.
 *
 * @throws AppError `CONNECTOR.CREDENTIALS_REJECTED` for a private key that is none.
 */
export function createGoogleAuth(credentials: GoogleCredentials, options: GoogleAuthOptions): OAuth2Client {
  const { tokenUrl } = options;
  const fetch: OutboundFetch = (url, init) =>
    options.fetch(tokenUrl !== undefined && String(url) === SERVICE_TOKEN_URL ? tokenUrl : url, init);
  const transporter = new SingleAttemptTransporter({
    fetchImplementation: fetch as unknown as typeof globalThis.fetch,
  });
  if ('serviceAccount' in credentials) {
    const { clientEmail, privateKey, subject } = credentials.serviceAccount;
    refuseUnusableKey(privateKey);
    return new JWT({
      email: clientEmail,
      key: privateKey,
      scopes: [...options.scopes],
      transporter,
      forceRefreshOnFailure: true,
      ...(subject === undefined ? {} : { subject }),
    });
  }
  if ('accessToken' in credentials) {
    const client = new OAuth2Client({ transporter });
    client.setCredentials({ access_token: credentials.accessToken });
    return client;
  }
  const { clientId, clientSecret, refreshToken } = credentials;
  const endpoints = tokenUrl === undefined ? {} : { endpoints: { oauth2TokenUrl: tokenUrl } };
  const client = new OAuth2Client({ clientId, clientSecret, transporter, forceRefreshOnFailure: true, ...endpoints });
  client.setCredentials({ refresh_token: refreshToken });
  return client;
}

function refuseUnusableKey(privateKey: string): void {
  try {
    createPrivateKey(privateKey);
  } catch (error) {
    throw new AppError('CONNECTOR.CREDENTIALS_REJECTED', {
      message: 'The private key of the service account is not one in PEM form.',
      cause: error,
    });
  }
}
