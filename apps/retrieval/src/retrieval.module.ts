import { Module, type DynamicModule } from '@nestjs/common';
import { RETRIEVAL_CLIENT } from '@candor/contracts';
import type { Logger } from '@candor/runtime';
import { RETRIEVAL_CALL_TOOLS, RetrievalController } from './retrieval.controller.js';
import { RetrievalService, type RetrievalDependencies } from './retrieval.service.js';

export interface RetrievalModuleOptions extends RetrievalDependencies {
  logger: Logger;
  /** Also answer gRPC calls; the application connects the transport. Default false: in process only. */
  serveGrpc?: boolean;
}

/** Exports RetrievalService, also as RETRIEVAL_CLIENT. Whoever made the dependencies closes them. */
@Module({})
export class RetrievalModule {
  static forRoot({ logger, serveGrpc = false, ...dependencies }: RetrievalModuleOptions): DynamicModule {
    return {
      module: RetrievalModule,
      controllers: serveGrpc ? [RetrievalController] : [],
      providers: [
        { provide: RetrievalService, useValue: new RetrievalService(dependencies) },
        { provide: RETRIEVAL_CLIENT, useExisting: RetrievalService },
        { provide: RETRIEVAL_CALL_TOOLS, useValue: { signer: dependencies.signer, logger } },
      ],
      exports: [RetrievalService, RETRIEVAL_CLIENT],
    };
  }
}
