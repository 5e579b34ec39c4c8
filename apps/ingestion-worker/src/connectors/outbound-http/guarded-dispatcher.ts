import { AppError } from '@candor/contracts';
import { lookup as lookUpName, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isPublicAddress } from './is-public-address.js';

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 60_000;

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Connections for calls to addresses that tenants choose. Each connection is checked where it is made, after DNS and for
 * each hop of a redirect, so that neither a rebinding name nor a `Location` reaches the inside: `CONNECTOR.ADDRESS_REFUSED`.
 * Plain http counts as inside too: a token would be readable on the way.
 */
export function createGuardedDispatcher(options: { allowPrivateAddresses: boolean }): Agent {
  const timeouts = { headersTimeout: SILENCE_TIMEOUT_MS, bodyTimeout: SILENCE_TIMEOUT_MS };
  if (options.allowPrivateAddresses) return new Agent({ ...timeouts, connect: { timeout: CONNECT_TIMEOUT_MS } });
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: lookUpPublicName });
  return new Agent({
    ...timeouts,
    connect: (target, callback) => {
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (target.protocol !== 'https:') callback(refuse('must be https'), null);
      // Node asks no lookup for a literal address.
      else if (isIP(host) !== 0 && !isPublicAddress(host)) callback(refuse('must be a public address'), null);
      else connect(target, callback);
    },
  });
}

/** One private address among several is reason enough: which of them is used isn't ours to say. */
export function lookUpPublicName(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookUpName(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, []);
    } else if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address))) {
      callback(refuse('must not resolve to a private address'), []);
    } else if (options.all === true) {
      callback(null, addresses);
    } else {
      const [first] = addresses as [LookupAddress];
      callback(null, first.address, first.family);
    }
  });
}

function refuse(rule: string): AppError {
  return new AppError('CONNECTOR.ADDRESS_REFUSED', {
    message: `The address of the source ${rule}; the operator can allow private addresses.`,
    details: { rule },
  });
}
