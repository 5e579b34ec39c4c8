import { createServer, connect } from 'node:net';

const HTTP_REQUEST_LINE = ' HTTP/1.1\r\n';
const HTTP2_PREFACE_BYTES = 24;
const HTTP2_FRAME_HEADER_BYTES = 9;
const HTTP2_HEADERS = 1;
/** Sync ends a statement of the extended protocol, Query is a simple one: what is waited for once. */
const POSTGRES_ROUND_TRIPS = ['S', 'Q'].map((type) => type.charCodeAt(0));

/** How many requests are in what a client sends; each call of `read` gets the next bytes of one connection. */
const READERS = {
  postgres: () =>
    readMessages({
      // The first message has no type.
      sizeOf: (bytes, number) => (number === 0 ? sizeAt(bytes, 0, 0) : sizeAt(bytes, 1, 1)),
      isRequest: (bytes, number) => number > 0 && POSTGRES_ROUND_TRIPS.includes(bytes[0]),
    }),
  http2: () =>
    readMessages({
      sizeOf: (bytes, number) => {
        if (number === 0) return HTTP2_PREFACE_BYTES;
        return bytes.length < 3 ? undefined : HTTP2_FRAME_HEADER_BYTES + bytes.readUIntBE(0, 3);
      },
      isRequest: (bytes, number) => number > 0 && bytes[3] === HTTP2_HEADERS,
    }),
  redis: () =>
    readMessages({
      sizeOf: sizeOfCommand,
      isRequest: () => true,
    }),
  // Within JSON no line ends raw, so that no body looks like a request.
  http: () => {
    let tail = '';
    return (bytes) => {
      const text = tail + bytes.toString('latin1');
      tail = text.slice(-(HTTP_REQUEST_LINE.length - 1));
      return text.split(HTTP_REQUEST_LINE).length - 1;
    };
  },
};

function sizeAt(bytes, offset, typeBytes) {
  return bytes.length < offset + 4 ? undefined : typeBytes + bytes.readUInt32BE(offset);
}

const LINE_END = '\r\n';

/** Of an array of strings, which is all that clients send: `*2 $3 GET $1 a`, each with a line end. */
function sizeOfCommand(bytes) {
  let end = bytes.indexOf(LINE_END);
  if (end < 0) return undefined;
  const numberFrom = (start) => Number(bytes.toString('latin1', start + 1, end));
  let size = end + LINE_END.length;
  for (let left = numberFrom(0); left > 0; left -= 1) {
    end = bytes.indexOf(LINE_END, size);
    if (end < 0) return undefined;
    size = end + LINE_END.length + numberFrom(size) + LINE_END.length;
  }
  return size;
}

function readMessages({ sizeOf, isRequest }) {
  let rest = Buffer.alloc(0);
  let number = 0;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    let requests = 0;
    for (;;) {
      const size = sizeOf(rest, number);
      if (size === undefined || rest.length < size) return requests;
      if (isRequest(rest, number)) requests += 1;
      rest = rest.subarray(size);
      number += 1;
    }
  };
}

/**
 * Stands between a client and a server, passes everything on and counts it: requests, bytes sent and received. Counts are the
 * same on every machine, whatever else runs on it.
 */
export class TrafficCounter {
  requests = 0;
  sent = 0;
  received = 0;
  #server;
  #sockets = new Set();

  /** @param protocol `postgres`, `http`, `http2` or `redis`, without TLS. */
  static async start({ host, port, protocol }) {
    const counter = new TrafficCounter();
    counter.#server = createServer((client) => counter.#relay(client, { host, port }, READERS[protocol]()));
    await new Promise((resolve) => counter.#server.listen(0, '127.0.0.1', resolve));
    return counter;
  }

  get port() {
    return this.#server.address().port;
  }

  /** What was counted so far. */
  get counts() {
    const { requests, sent, received } = this;
    return { requests, sent, received };
  }

  async close() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(client, target, readRequests) {
    const server = connect(target);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => {
      this.requests += readRequests(bytes);
      this.sent += bytes.length;
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      this.received += bytes.length;
      client.write(bytes);
    });
  }
}
