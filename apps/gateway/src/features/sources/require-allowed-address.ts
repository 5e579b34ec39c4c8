import ipaddr from 'ipaddr.js';
import { invalidField } from '@candor/contracts';

export interface AddressRules {
  /** The operator lets connectors call private addresses, and without TLS. */
  allowPrivateAddresses: boolean;
}

/** Names that resolve to the machine itself or to the network around it, whatever the resolver says. */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|localdomain|lan|home\.arpa)\.?$/i;

/**
 * What can be said of an address before it is called; what its name resolves to is checked with every connection.
 * Errors: REQUEST.INVALID, naming the field.
 */
export function requireAllowedAddress(field: string, address: string, rules: AddressRules): void {
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') throw invalidField(field, 'must not hold credentials');
  if (rules.allowPrivateAddresses) return;
  if (url.protocol !== 'https:') throw invalidField(field, 'must be an https URL');
  if (LOCAL_NAME.test(url.hostname) || isPrivateLiteral(url.hostname))
    throw invalidField(field, 'must be a public address');
}

/** `hostname` as URL gives it: IPv4 in all its spellings is dotted decimal then, IPv6 in brackets. */
function isPrivateLiteral(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() !== 'unicast';
}
