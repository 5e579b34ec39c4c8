import { Select } from '../ui/select.js';
import { chooseTheme, useTheme, type Theme } from './theme.js';

const NAMES: Readonly<Record<Theme, string>> = { system: 'Like the system', light: 'Light', dark: 'Dark' };

export function ThemeChoice() {
  return <Select label="Theme" options={NAMES} value={useTheme()} onChange={chooseTheme} />;
}
