import { render } from 'preact';
import './locale.ts';
import { App, startFrame } from './frame/app.tsx';
import { startRouter } from './router.ts';
import './theme.ts';

startRouter();
startFrame();
const root = document.getElementById('app');
if (root) render(<App />, root);
