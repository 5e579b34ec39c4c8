import { Link } from 'react-router';
import { PageHeader } from '../ui/page-header.js';

export function NotFoundScreen() {
  return (
    <>
      <PageHeader title="There is no such screen">The address may be old or mistyped.</PageHeader>
      <Link to="/">To the overview</Link>
    </>
  );
}
