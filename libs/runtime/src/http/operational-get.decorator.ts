import { Get } from '@nestjs/common';

/** GET endpoint of an `@Operational` controller: outside of the API, without a key. */
export function OperationalGet(path: string): MethodDecorator {
  return Get(path);
}
