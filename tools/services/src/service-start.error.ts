/** A server could not be started; the message says what to do. */
export class ServiceStartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceStartError';
  }
}

/** Another process bound the port between choosing and using it. */
export class PortTakenError extends ServiceStartError {
  constructor(port: number, server: string) {
    super(`${server}: port ${port} on 127.0.0.1 is in use`);
    this.name = 'PortTakenError';
  }
}
