import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppError, type ItemJobPayload } from '@candor/contracts';
import { FileReader, type FileText, type NamedFile } from '@candor/extraction';
import { Database, extendStageLease, findItemFile, saveFileReading } from '@candor/persistence';

/** A turn among other files and the reading itself, with time to spare. */
const LEASE_SECONDS = 180;

/** Text of the versions that came as files: read in a process of its own, kept as if it had been pushed. */
@Injectable()
export class ReadItemFileService implements OnModuleDestroy {
  constructor(
    private readonly database: Database,
    private readonly reader: FileReader,
  ) {}

  /**
   * @throws AppError `EXTRACT.*`, permanent, with a message for people; DEPENDENCY.FILE_READERS_BUSY, which parks the job;
   * the signal's reason when the job is cancelled.
   */
  async read(job: ItemJobPayload, signal: AbortSignal): Promise<Pick<FileText, 'body' | 'mimeType'>> {
    await this.database.read((transaction) => extendStageLease(transaction, job, LEASE_SECONDS));
    let keepsTitle = false;
    const load = async (): Promise<NamedFile> => {
      const file = await this.database.read((transaction) =>
        findItemFile(transaction, job.tenantId, job.itemId, job.version),
      );
      // Text or a file: a version that has neither was purged since the job began.
      if (!file) throw new AppError('EXTRACT.EMPTY');
      keepsTitle = !file.titleIsDefault;
      return file;
    };
    const found = await this.reader.read(load, signal);
    await this.database.transaction((transaction) =>
      saveFileReading(transaction, job, { ...found, title: keepsTitle ? null : found.title }),
    );
    return found;
  }

  async onModuleDestroy(): Promise<void> {
    await this.reader.close();
  }
}
