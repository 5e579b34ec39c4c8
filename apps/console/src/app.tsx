import { BrowserRouter, Route, Routes } from 'react-router';
import { AskScreen } from './ask/ask.screen.js';
import { AuditScreen } from './audit/audit.screen.js';
import { ContextScreen } from './context/context.screen.js';
import { GenerationsScreen } from './generations/generations.screen.js';
import { IngestionsScreen } from './ingestions/ingestions.screen.js';
import { ItemScreen } from './items/item.screen.js';
import { KeysScreen } from './keys/keys.screen.js';
import { NotFoundScreen } from './layout/not-found.screen.js';
import { Shell } from './layout/shell.js';
import { OverviewScreen } from './overview/overview.screen.js';
import { SessionProvider } from './session/session-provider.js';
import { SourcesScreen } from './sources/sources.screen.js';
import { ErrorBoundary } from './ui/error-boundary.js';

export function App() {
  return (
    <ErrorBoundary>
      <BrowserRouter basename="/console">
        <SessionProvider>
          <Routes>
            <Route element={<Shell />}>
              <Route index element={<OverviewScreen />} />
              <Route path="ask" element={<AskScreen />} />
              <Route path="context" element={<ContextScreen />} />
              <Route path="items/:id" element={<ItemScreen />} />
              <Route path="sources" element={<SourcesScreen />} />
              <Route path="ingestions" element={<IngestionsScreen />} />
              <Route path="audit" element={<AuditScreen />} />
              <Route path="keys" element={<KeysScreen />} />
              <Route path="generations" element={<GenerationsScreen />} />
              <Route path="*" element={<NotFoundScreen />} />
            </Route>
          </Routes>
        </SessionProvider>
      </BrowserRouter>
    </ErrorBoundary>
  );
}
