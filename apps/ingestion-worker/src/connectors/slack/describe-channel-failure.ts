import { AppError } from '@candor/contracts';
import { unreadable } from '../item-errors.js';
import type { ItemFailure } from '../source-connector.port.js';
import type { SlackChannel } from './slack-client.js';

type NamedChannel = Pick<SlackChannel, 'id' | 'name'>;

export function describeClosed(channel: SlackChannel): ItemFailure {
  const message =
    channel.is_member === false
      ? 'The bot is not a member of this channel, so it is not read: invite it, or name the channels that are meant.'
      : 'The token may not read this channel: is it a member?';
  return { externalId: channel.id, title: `#${channel.name}`, error: unreadable(message, 'not_in_channel') };
}

/** Not retryable: the next run takes the channel up as it was left, and needs no full one for it. */
export function describeFailing({ id, name }: NamedChannel, message: string, cause: AppError): ItemFailure {
  const error = new AppError('CONNECTOR.UNAVAILABLE', { message, retryable: false, cause });
  return { externalId: id, title: `#${name}`, error };
}
