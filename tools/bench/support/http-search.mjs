import { Agent, request } from 'node:http';

/** `POST /v1/search` over kept connections, as lean as a load generator on the same machine has to be. */
export class HttpSearch {
  constructor(url, key) {
    this.url = new URL('/v1/search', url);
    this.key = key;
    this.agent = new Agent({ keepAlive: true, maxSockets: 256 });
  }

  search(query, limit) {
    const body = Buffer.from(JSON.stringify({ query, limit }));
    const options = {
      method: 'POST',
      agent: this.agent,
      headers: {
        authorization: `API-Key ${this.key}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.url, options, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`/v1/search answered ${response.statusCode}: ${text.slice(0, 500)}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close() {
    this.agent.destroy();
  }
}
