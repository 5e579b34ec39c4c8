import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { applyTheme } from './layout/theme.js';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/components.css';
import './styles/reading.css';

applyTheme();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the console');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
