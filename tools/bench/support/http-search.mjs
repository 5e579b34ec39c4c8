import { Agent, request } from 'node:http';

/** One endpoint, `/v1/search` if not told otherwise, over kept connections, as lean as a load generator on the same machine has to be. */
export class HttpSearch {
  constructor(url, key, path = '/v1/search') {
    this.url = new URL(path, url);
    this.key = key;
    this.agent = new Agent({ keepAlive: true, maxSockets: 256 });
  }

  search(query, limit) {
    return this.post({ query, limit });
  }

  post(content) {
    const body = Buffer.from(JSON.stringify(content));
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
          else reject(new Error(`${this.url.pathname} answered ${response.statusCode}: ${text.slice(0, 500)}`));
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
