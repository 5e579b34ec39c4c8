import { Agent, get, type IncomingMessage } from 'node:http';
import { Controller, Get, Module, type OnModuleDestroy } from '@nestjs/common';
import { createLogger } from '../logging/create-logger.js';
import { createHttpApp } from './create-http-app.js';
import { listenUntilSignal, type ListenOptions, type RunningApp } from './listen-until-signal.js';

let events: string[] = [];
let release: () => void = () => undefined;
let entered: () => void = () => undefined;

@Controller()
class SlowController implements OnModuleDestroy {
  @Get('slow')
  async slow(): Promise<string> {
    const released = new Promise<void>((resolve) => (release = resolve));
    entered();
    await released;
    events.push('request finished');
    return 'done';
  }
  @Get('fast')
  fast(): string {
    return 'done';
  }
  onModuleDestroy(): void {
    events.push('module destroyed');
  }
}
@Module({ controllers: [SlowController] })
class SlowModule {}

async function start(options: Partial<ListenOptions> = {}): Promise<RunningApp> {
  events = [];
  const app = await createHttpApp(SlowModule, {
    service: 'slow',
    logger: createLogger('slow', { level: 'silent' }),
    bodyLimits: () => 1,
  });
  const onClose = async () => void events.push('closed');
  return listenUntilSignal(app, { port: 0, handleSignals: false, drainMs: 0, onClose, ...options });
}

/** The answer's text and connection header; rejects when the connection breaks. */
function request(url: string, agent: Agent): Promise<{ text: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response: IncomingMessage) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ text, connection: response.headers.connection }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

describe('listenUntilSignal', () => {
  it('finishes running requests before modules close, takes no new ones, and closes once', async () => {
    const running = await start();
    const agent = new Agent({ keepAlive: true });
    const started = new Promise<void>((resolve) => (entered = resolve));
    const answer = request(`${running.url}/slow`, agent);
    await started;
    const stopping = running.stop();
    expect(running.stop()).toBe(stopping);
    let refused = false;
    while (!refused)
      refused = await request(`${running.url}/fast`, new Agent()).then(
        () => false,
        () => true,
      );
    expect(events).toEqual([]);
    release();
    expect((await answer).text).toBe('done');
    await stopping;
    await running.stopped;
    expect(events).toEqual(['request finished', 'module destroyed', 'closed']);
    agent.destroy();
  });

  it('tells keep-alive connections to end while it still serves them', async () => {
    const running = await start({ drainMs: 300 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await request(`${running.url}/fast`, agent)).connection).toBe('keep-alive');
    const stopping = running.stop();
    expect(await request(`${running.url}/fast`, agent)).toEqual({ text: 'done', connection: 'close' });
    await stopping;
    agent.destroy();
  });

  it('does not wait for idle keep-alive connections', async () => {
    const running = await start();
    const agent = new Agent({ keepAlive: true });
    await request(`${running.url}/fast`, agent);
    await running.stop();
    expect(events).toEqual(['module destroyed', 'closed']);
    agent.destroy();
  });

  it('breaks off what still runs after the grace time', async () => {
    const running = await start({ graceMs: 100 });
    const agent = new Agent({ keepAlive: true });
    const started = new Promise<void>((resolve) => (entered = resolve));
    const answer = request(`${running.url}/slow`, agent);
    const outcome = expect(answer).rejects.toThrow();
    await started;
    await running.stop();
    await outcome;
    expect(events).toEqual(['module destroyed', 'closed']);
    release();
    agent.destroy();
  });
});
