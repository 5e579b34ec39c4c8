import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTelemetry } from './start-telemetry.js';
import { extractTrace, injectTrace, type TraceCarrier } from './trace-carrier.js';
import { withSpan } from './with-span.js';

interface Received {
  path: string | undefined;
  body: string;
}

async function startCollector(received: Received[]): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url, body: Buffer.concat(chunks).toString('latin1') });
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Trace id of a `traceparent` header. */
const traceIdOf = (carrier: TraceCarrier) => carrier['traceparent']?.split('-')[1];

describe('telemetry', () => {
  it('does nothing without an endpoint', async () => {
    const stop = await startTelemetry('quiet', {});
    expect(await withSpan('step', async () => injectTrace())).toEqual({});
    await stop();
  });

  it('sends spans to the collector and carries one trace through an envelope', async () => {
    const received: Received[] = [];
    const collector = await startCollector(received);
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    const stop = await startTelemetry('speaking-service');
    const sent = await withSpan('sender', async () => injectTrace());
    expect(traceIdOf(sent)).toMatch(/^[0-9a-f]{32}$/);
    const continued = await extractTrace(sent, () => withSpan('receiver', async () => injectTrace()));
    expect(traceIdOf(continued)).toBe(traceIdOf(sent));
    expect(continued['traceparent']).not.toBe(sent['traceparent']);
    await expect(withSpan('failing', () => Promise.reject(new TypeError('planted')))).rejects.toThrow('planted');
    await stop();
    collector.close();
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];

    const traces = received
      .filter(({ path }) => path === '/v1/traces')
      .map(({ body }) => body)
      .join();
    for (const text of ['speaking-service', 'sender', 'receiver', 'failing', 'TypeError'])
      expect(traces).toContain(text);
    expect(traces).not.toContain('planted');
    expect(received.filter(({ path }) => path !== '/v1/traces')).toEqual([]);
  });
});
