import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const gateway = 'http://127.0.0.1:7420';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // One file of 280 kB on the wire; the page is served from the machine it is used on.
  build: { chunkSizeWarningLimit: 1_000 },
  server: { proxy: { '/api': gateway, '/login': gateway } },
});
