import { Controller } from '@nestjs/common';
import {
  cancelSyncRoute,
  getSyncRunRoute,
  listSyncRunsRoute,
  startSyncRoute,
  type ResponseOf,
} from '@candor/contracts';
import { Contract, ContractInput, type InputOf } from '@candor/runtime';
import { SyncRunsService } from './sync-runs.service.js';

@Controller()
export class SyncRunsController {
  constructor(private readonly runs: SyncRunsService) {}

  @Contract(listSyncRunsRoute)
  list(@ContractInput() { query }: InputOf<typeof listSyncRunsRoute>): Promise<ResponseOf<typeof listSyncRunsRoute>> {
    return this.runs.list(query);
  }

  @Contract(startSyncRoute)
  start(@ContractInput() { body }: InputOf<typeof startSyncRoute>): Promise<ResponseOf<typeof startSyncRoute>> {
    return this.runs.start(body);
  }

  @Contract(getSyncRunRoute)
  read(@ContractInput() { params }: InputOf<typeof getSyncRunRoute>): Promise<ResponseOf<typeof getSyncRunRoute>> {
    return this.runs.read(params.id);
  }

  @Contract(cancelSyncRoute)
  cancel(@ContractInput() { params }: InputOf<typeof cancelSyncRoute>): Promise<ResponseOf<typeof cancelSyncRoute>> {
    return this.runs.cancel(params.id);
  }
}
