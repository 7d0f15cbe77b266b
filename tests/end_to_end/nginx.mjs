// nginx in front of a gateway, as an operator would put it there, with the idle time that a story wants.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

import { eventually } from './assertions.mjs';
import { freePort, temporaryDirectory } from './harness.mjs';

const kTemporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

function accepts(port) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), done(true)));
    socket.on('error', () => done(false));
  });
}

/** Starts it before what listens at `url`; `idle` is how long it waits for bytes of the gateway: `{ url, stop }`. */
export async function startNginx(url, { idle = '60s' } = {}) {
  const [port, directory] = [await freePort(), temporaryDirectory()];
  const upstream = new URL(url);
  // Started as root, its worker is another user, who has to reach the folders.
  chmodSync(directory, 0o755);
  for (const name of kTemporary) mkdirSync(join(directory, name));
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log stderr crit;
events { worker_connections 1000; }
http {
  access_log off;
  ${kTemporary.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  map $http_upgrade $connection_of_client { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://${upstream.host};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_of_client;
      proxy_read_timeout ${idle};
    }
  }
}
`,
  );
  const child = spawn('nginx', ['-p', directory, '-e', 'stderr', '-c', join(directory, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (text) => (complaints += text));
  child.on('error', ({ message }) => (complaints += message));
  process.on('exit', () => child.kill('SIGTERM'));
  await eventually(() => accepts(port), 'nginx listens', 20_000).catch(() => {
    throw new Error(`nginx does not listen: ${complaints}`);
  });
  return {
    url: `http://127.0.0.1:${port}${upstream.pathname}`,
    stop: async () => {
      const ended = new Promise((done) => child.on('exit', done));
      child.kill('SIGTERM');
      await ended;
    },
  };
}
