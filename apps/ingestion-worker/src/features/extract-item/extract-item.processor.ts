import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { extractItemJob, type ItemJobPayload } from '@candor/contracts';
import { findLinks } from '@candor/persistence';
import { JobHandler, type JobContext } from '@candor/queue';
import { ItemPipelineService } from '../../pipeline/item-pipeline.service.js';
import { extractText } from './extract-text.js';
import { ReadItemFileService } from './read-item-file.service.js';

/** A file → normalized text; its commit also wants the index stage. Text that was pushed is read there (docs/adr/0019). */
@Controller()
export class ExtractItemProcessor {
  constructor(
    private readonly pipeline: ItemPipelineService,
    private readonly files: ReadItemFileService,
  ) {}

  @JobHandler(extractItemJob)
  async extract(@Payload() job: ItemJobPayload, @Ctx() context: JobContext): Promise<void> {
    const start = await this.pipeline.start(job, 'extracting');
    if (start.kind === 'skip') return;
    await this.pipeline.withContent(job, start, async ({ version: { title, body, mimeType } }) => {
      // A file's text is kept as the body: it is read once.
      const source = body === null ? await this.files.read(job, context.signal) : { body, mimeType };
      const extraction = extractText({ title, ...source });
      context.signal.throwIfAborted();
      await this.pipeline.saveExtraction({ job, ...extraction, links: findLinks(extraction.text) });
    });
  }
}
