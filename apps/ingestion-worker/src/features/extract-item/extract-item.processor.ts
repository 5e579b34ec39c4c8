import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { extractItemJob, indexItemJob, type ItemJobPayload } from '@candor/contracts';
import { Database, enqueueItemJob, saveExtraction, startStage } from '@candor/persistence';
import { JobHandler, type JobContext } from '@candor/queue';
import { extractText } from './extract-text.js';

/** Body → normalized text; its commit also wants the index stage. */
@Controller()
export class ExtractItemProcessor {
  constructor(private readonly database: Database) {}

  @JobHandler(extractItemJob)
  async extract(@Payload() job: ItemJobPayload, @Ctx() context: JobContext): Promise<void> {
    const start = await this.database.transaction((transaction) => startStage(transaction, job, 'extracting'));
    if (start.kind === 'skip') return;
    const { title, body, mimeType } = start.version;
    const extraction = extractText({ title, body: body ?? '', mimeType });
    context.signal.throwIfAborted();
    await this.database.transaction(async (transaction) => {
      const saved = await saveExtraction(transaction, job, extraction);
      if (saved) await enqueueItemJob(transaction, indexItemJob.name, job);
    });
  }
}
