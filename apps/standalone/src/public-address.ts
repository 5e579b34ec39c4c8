import { freePort } from '@candor/services';

export interface PublicAddress {
  host: string;
  port: number;
  url: string;
}

/** Where the gateway is to listen. Whoever asks it has to know the port beforehand, so 0 is one that is free now. */
export async function choosePublicAddress(config: { HOST: string; PORT: number }): Promise<PublicAddress> {
  const { HOST: host, PORT: given } = config;
  const port = given === 0 ? await freePort(host) : given;
  return { host, port, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` };
}
