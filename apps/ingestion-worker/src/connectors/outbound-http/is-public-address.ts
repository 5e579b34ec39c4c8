import ipaddr from 'ipaddr.js';

/**
 * True for addresses of the public internet. Loopback, private, link-local (cloud metadata), carrier-grade NAT, multicast
 * and reserved ones are not, nor are IPv6 forms that lead to IPv4 ones (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!ipaddr.isValid(bare)) return false;
  return ipaddr.process(bare).range() === 'unicast';
}
