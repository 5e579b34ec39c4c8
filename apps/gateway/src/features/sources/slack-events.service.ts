import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AppError,
  slackCredentialsSchema,
  type AuditEventInput,
  type ResponseOf,
  type slackEventsRoute,
} from '@candor/contracts';
import { writeAuditEvents } from '@candor/audit';
import {
  Database,
  findKnownItems,
  findSourceById,
  lockSource,
  readCredentials,
  requestReread,
  tombstoneItems,
  wantSync,
  type SourceConnector,
} from '@candor/persistence';
import { CredentialCipher, credentialOwner, requireRequestContext } from '@candor/runtime';
import { countFailedAuthentication } from '../../access/failed-authentications.metric.js';
import { readSlackEvent, type SlackEvent } from './read-slack-event.js';
import { verifySlackSignature, type SignedRequest } from './verify-slack-signature.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

@Injectable()
export class SlackEventsService {
  constructor(
    private readonly database: Database,
    private readonly cipher: CredentialCipher,
  ) {}

  /** Errors: AUTH.INVALID_SIGNATURE, alike for a wrong signature, a source without a secret and none at all. */
  async take(id: string, request: SignedRequest): Promise<ResponseOf<typeof slackEventsRoute>> {
    const source = await this.requireSigned(id, request);
    const event = readSlackEvent(request.body);
    if (event.kind === 'verification') return { challenge: event.challenge };
    if (event.kind === 'change') await this.apply(source, event);
    return { ok: true };
  }

  private async requireSigned(id: string, request: SignedRequest): Promise<SourceConnector> {
    const found = UUID.test(id) ? await this.findSecret(id) : null;
    // Checked in any case: that there is no such source must not show by the time it takes.
    const signed = verifySlackSignature(request, found?.secret ?? randomBytes(32).toString('hex'), Date.now());
    if (found && signed) return found.source;
    const error = new AppError('AUTH.INVALID_SIGNATURE');
    countFailedAuthentication(error.code);
    throw error;
  }

  private async findSecret(id: string): Promise<{ source: SourceConnector; secret: string } | null> {
    return this.database.system('signed-event').read(async (manager) => {
      const source = await findSourceById(manager, id);
      const sealed = source?.provider === 'slack' ? await readCredentials(manager, id) : null;
      if (!source || !sealed) return null;
      const stored: unknown = JSON.parse(this.cipher.open(sealed, credentialOwner(source)));
      const secret = slackCredentialsSchema.parse(stored).signingSecret;
      return secret === undefined ? null : { source, secret };
    });
  }

  /** A deleted thread is hidden by this commit; everything else is what the sync finds. */
  private async apply(source: SourceConnector, event: Extract<SlackEvent, { kind: 'change' }>): Promise<void> {
    const { requestId } = requireRequestContext();
    const { tenantId, id: sourceId } = source;
    const base: AuditEventInput = {
      tenantId,
      requestId,
      action: 'source.event',
      outcome: 'accepted',
      actorApiKeyId: null,
      actorType: 'service',
      targetType: 'source',
      targetId: sourceId,
      metadata: { type: event.type, subtype: event.subtype },
    };
    await this.database.forTenants([tenantId]).transaction(async (transaction) => {
      if ((await lockSource(transaction, sourceId))?.state !== 'active') return;
      const externalIds = event.deletedExternalId === null ? [] : [event.deletedExternalId];
      const known = await findKnownItems(transaction, { tenantId, sourceId }, 'slack', externalIds);
      const itemIds = [...known.values()].map(({ itemId }) => itemId);
      const deleted = await tombstoneItems(transaction, { tenantId, requestId }, itemIds);
      // What isn't stored may have been read already, to be stored in a moment: it is looked at once more then.
      const unstoredId = known.size === 0 ? event.deletedExternalId : null;
      const rereadId = event.changedExternalId ?? unstoredId;
      if (rereadId !== null) await requestReread(transaction, sourceId, rereadId);
      await wantSync(transaction, { tenantId, sourceId, mode: 'incremental', trigger: 'event', apiKeyId: null });
      await writeAuditEvents(transaction, [
        base,
        ...deleted.map((itemId): AuditEventInput => ({
          ...base,
          action: 'item.delete',
          targetType: 'source_item',
          targetId: itemId,
          metadata: { sourceId },
        })),
      ]);
    });
  }
}
