import chromium from '@sparticuz/chromium';

/** Run with TMPDIR set to the folder that gets the browser, its fonts and its libraries; prints the path of the browser. */
console.log(await chromium.executablePath());
