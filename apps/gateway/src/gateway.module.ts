import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { RETRIEVAL_CLIENT, type RetrievalClient } from '@candor/contracts';
import { Database } from '@candor/persistence';
import { JobProducer, type ReplyChannel } from '@candor/queue';
import { CallerTokenSigner, CredentialCipher } from '@candor/runtime';
import { AccessGuard } from './access/access.guard.js';
import { AdmissionService } from './access/admission.service.js';
import { FirstKeyService } from './access/first-key.service.js';
import { RateLimiterService } from './access/rate-limiter.service.js';
import type { GatewayLimits } from './config.js';
import { ApiKeysController } from './features/api-keys/api-keys.controller.js';
import { ApiKeysService } from './features/api-keys/api-keys.service.js';
import { HousekeepingService } from './features/audit-trail/housekeeping.service.js';
import { AuditTrailController } from './features/audit-trail/audit-trail.controller.js';
import { ExportAuditService } from './features/audit-trail/export-audit.service.js';
import { CalibrationsController } from './features/calibrations/calibrations.controller.js';
import { CalibrationsService } from './features/calibrations/calibrations.service.js';
import { CitationsController } from './features/citations/citations.controller.js';
import { VerifyCitationsService } from './features/citations/verify-citations.service.js';
import { CollectionItemsService } from './features/collections/collection-items.service.js';
import { CollectionsController } from './features/collections/collections.controller.js';
import { CollectionsService } from './features/collections/collections.service.js';
import { ConsoleController } from './features/console/console.controller.js';
import { ContextController } from './features/context/context.controller.js';
import { CreateDocumentService } from './features/documents/create-document.service.js';
import { DocumentVersionsService } from './features/documents/document-versions.service.js';
import { DocumentsController } from './features/documents/documents.controller.js';
import { DocumentsService } from './features/documents/documents.service.js';
import { ErasuresController } from './features/erasures/erasures.controller.js';
import { ErasuresService } from './features/erasures/erasures.service.js';
import { FeedbackController } from './features/feedback/feedback.controller.js';
import { FeedbackService } from './features/feedback/feedback.service.js';
import { FindItemsController } from './features/find-items/find-items.controller.js';
import { GenerationsController } from './features/generations/generations.controller.js';
import { GenerationsService } from './features/generations/generations.service.js';
import { PromotionsService } from './features/generations/promotions.service.js';
import { DeadLetterService } from './features/ingest/dead-letter.service.js';
import { IngestController } from './features/ingest/ingest.controller.js';
import { IngestService } from './features/ingest/ingest.service.js';
import { IngestionStatusService } from './features/ingest/ingestion-status.service.js';
import { McpAnswersService } from './features/mcp/mcp-answers.service.js';
import type { McpAddress } from './features/mcp/mcp-environment.js';
import { McpExchangesService } from './features/mcp/mcp-exchanges.service.js';
import { McpController } from './features/mcp/mcp.controller.js';
import { McpPromptsService } from './features/mcp/prompts/mcp-prompts.service.js';
import { ProtectedResourceController } from './features/mcp/protected-resource.controller.js';
import { RunningCallsService } from './features/mcp/running-calls.service.js';
import { MCP_TOOLS } from './features/mcp/tools/mcp-tools.js';
import { NavigationController } from './features/navigation/navigation.controller.js';
import { PassageSessionService } from './features/navigation/passage-session.service.js';
import { OpenApiController } from './features/openapi/openapi.controller.js';
import { PromptVersionsService } from './features/prompts/prompt-versions.service.js';
import { PromptsController } from './features/prompts/prompts.controller.js';
import { PromptsService } from './features/prompts/prompts.service.js';
import { ProposalsController } from './features/proposals/proposals.controller.js';
import { ProposalsService } from './features/proposals/proposals.service.js';
import { PlaceQuotationsService } from './features/reason/place-quotations.service.js';
import { ReasonController } from './features/reason/reason.controller.js';
import { ReasoningController } from './features/reasoning/reasoning.controller.js';
import { SearchController } from './features/search/search.controller.js';
import { QuotasController } from './features/quotas/quotas.controller.js';
import { QuotasService } from './features/quotas/quotas.service.js';
import { SourceItemsController } from './features/source-items/source-items.controller.js';
import { SourceItemsService } from './features/source-items/source-items.service.js';
import type { AddressRules } from './features/sources/require-allowed-address.js';
import { SlackEventsController } from './features/sources/slack-events.controller.js';
import { SlackEventsService } from './features/sources/slack-events.service.js';
import { SourceCheckService } from './features/sources/source-check.service.js';
import { SourcesController } from './features/sources/sources.controller.js';
import { SourcesService } from './features/sources/sources.service.js';
import { SyncRunsController } from './features/sources/sync-runs.controller.js';
import { SyncRunsService } from './features/sources/sync-runs.service.js';
import { TenantSettingsService } from './features/tenants/tenant-settings.service.js';
import { TenantsController } from './features/tenants/tenants.controller.js';
import { TenantsService } from './features/tenants/tenants.service.js';
import { UserController } from './features/user/user.controller.js';
import { AuditInterceptor } from './request/audit.interceptor.js';
import { IdempotencyInterceptor } from './request/idempotency.interceptor.js';
import { RequestTransaction } from './request/request-transaction.service.js';
import { RouteCallerService } from './request/route-caller.service.js';
import { ADDRESS_RULES, GATEWAY_LIMITS, MCP_ADDRESS, OFFERED_TOOLS, REPLY_CHANNEL } from './tokens.js';
import { BodyMemory } from './uploads/body-memory.js';
import { UploadInterceptor } from './uploads/upload.interceptor.js';
import { ReasoningClient } from './upstream/reasoning.client.js';
import { RetrievalGatewayService } from './upstream/retrieval-gateway.service.js';

/** What differs between the profiles; the caller owns and closes all of it. */
export interface GatewayDependencies {
  database: Database;
  jobs: JobProducer;
  replies: ReplyChannel;
  retrieval: RetrievalClient;
  rateLimiter: RateLimiterService;
  signer: CallerTokenSigner;
  cipher: CredentialCipher;
  addressRules: AddressRules;
  limits: GatewayLimits;
  mcpAddress: McpAddress;
  /** Default: no pages but those that it serves itself. */
  corsOrigins?: readonly string[];
}

@Module({})
export class GatewayModule {
  static forRoot(dependencies: GatewayDependencies, bodyMemory: BodyMemory): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        ApiKeysController,
        AuditTrailController,
        CalibrationsController,
        CitationsController,
        CollectionsController,
        ConsoleController,
        ContextController,
        DocumentsController,
        ErasuresController,
        FeedbackController,
        FindItemsController,
        GenerationsController,
        IngestController,
        McpController,
        NavigationController,
        OpenApiController,
        ProtectedResourceController,
        PromptsController,
        ProposalsController,
        QuotasController,
        ReasonController,
        ReasoningController,
        SearchController,
        SlackEventsController,
        SourceItemsController,
        SourcesController,
        SyncRunsController,
        TenantsController,
        UserController,
      ],
      providers: [
        { provide: Database, useValue: dependencies.database },
        { provide: BodyMemory, useValue: bodyMemory },
        { provide: JobProducer, useValue: dependencies.jobs },
        { provide: OFFERED_TOOLS, useValue: MCP_TOOLS.map(({ listing, route }) => ({ ...listing, route })) },
        { provide: REPLY_CHANNEL, useValue: dependencies.replies },
        { provide: RETRIEVAL_CLIENT, useValue: dependencies.retrieval },
        { provide: RateLimiterService, useValue: dependencies.rateLimiter },
        { provide: CallerTokenSigner, useValue: dependencies.signer },
        { provide: CredentialCipher, useValue: dependencies.cipher },
        { provide: ADDRESS_RULES, useValue: dependencies.addressRules },
        { provide: GATEWAY_LIMITS, useValue: dependencies.limits },
        { provide: MCP_ADDRESS, useValue: dependencies.mcpAddress },
        // The order of these four is the order of a request.
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
        { provide: APP_INTERCEPTOR, useClass: UploadInterceptor },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
        HousekeepingService,
        AdmissionService,
        ApiKeysService,
        CalibrationsService,
        CollectionItemsService,
        CollectionsService,
        CreateDocumentService,
        DeadLetterService,
        DocumentVersionsService,
        DocumentsService,
        ErasuresService,
        ExportAuditService,
        FeedbackService,
        FirstKeyService,
        GenerationsService,
        IngestService,
        IngestionStatusService,
        McpAnswersService,
        McpExchangesService,
        McpPromptsService,
        PassageSessionService,
        PlaceQuotationsService,
        PromotionsService,
        ProposalsService,
        PromptVersionsService,
        PromptsService,
        QuotasService,
        ReasoningClient,
        RequestTransaction,
        RetrievalGatewayService,
        RouteCallerService,
        RunningCallsService,
        SlackEventsService,
        SourceCheckService,
        SourceItemsService,
        SourcesService,
        SyncRunsService,
        TenantSettingsService,
        TenantsService,
        VerifyCitationsService,
      ],
      exports: [FirstKeyService, RequestTransaction],
    };
  }
}
