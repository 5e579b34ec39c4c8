import type { Client } from '@elastic/elasticsearch';
import type { VectorFormat } from './chunk-source.js';

/** Earlier servers take a vector as an array of numbers only. */
const BINARY_SINCE = [9, 3] as const;

/** How the server takes vectors. */
export async function findVectorFormat(client: Client): Promise<VectorFormat> {
  const { version } = await client.info();
  const [major = 0, minor = 0] = version.number.split('.').map(Number);
  const [sinceMajor, sinceMinor] = BINARY_SINCE;
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor) ? 'binary' : 'array';
}
