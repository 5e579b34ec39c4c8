import { Controller } from '@nestjs/common';
import {
  deadLettersRoute,
  ingestionRoute,
  ingestionsRoute,
  ingestRoute,
  retryDeadLetterRoute,
  type IngestionStatus,
  type IngestResponse,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { DeadLetterService } from './dead-letter.service.js';
import { IngestService } from './ingest.service.js';
import { IngestionStatusService } from './ingestion-status.service.js';

@Controller()
export class IngestController {
  constructor(
    private readonly ingest: IngestService,
    private readonly status: IngestionStatusService,
    private readonly deadLetters: DeadLetterService,
  ) {}

  @Contract(ingestRoute)
  accept(@ContractInput() { body }: InputOf<typeof ingestRoute>): Promise<IngestResponse> {
    return this.ingest.accept(body.documents);
  }

  @Contract(ingestionRoute)
  read(@ContractInput() { params }: InputOf<typeof ingestionRoute>): Promise<IngestionStatus> {
    return this.status.read(params.requestId);
  }

  @Contract(ingestionsRoute)
  listIngestions(
    @ContractInput() { query }: InputOf<typeof ingestionsRoute>,
  ): Promise<ResponseOf<typeof ingestionsRoute>> {
    return this.status.list(query);
  }

  @Contract(deadLettersRoute)
  list(@ContractInput() { query }: InputOf<typeof deadLettersRoute>): Promise<ResponseOf<typeof deadLettersRoute>> {
    return this.deadLetters.list(query);
  }

  @Contract(retryDeadLetterRoute)
  retry(
    @ContractInput() { params }: InputOf<typeof retryDeadLetterRoute>,
  ): Promise<ResponseOf<typeof retryDeadLetterRoute>> {
    return this.deadLetters.retry(params.id);
  }
}
