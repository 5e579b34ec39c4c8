/** Calls `leave` when whoever reads a stream has seen enough, as in `candor … | head`. Other failures are thrown. */
export function onBrokenPipe(stream: NodeJS.WritableStream, leave: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    leave();
  });
}
