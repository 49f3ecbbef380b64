import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { bundledPackages } from "./build/bundled-packages.ts";
import { compressed } from "./build/compressed.ts";
import { entryBudget } from "./build/entry-budget.ts";
import { startScript } from "./build/start-script.ts";

/** The service that `npm run dev` uses, and its token. */
const { BERTH_URL = "http://127.0.0.1:8080", BERTH_TOKEN = "" } = process.env;

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [
    react(),
    tailwind(),
    startScript("src/start.ts"),
    entryBudget(200_000),
    bundledPackages(),
    compressed(),
  ],
  build: {
    target: "es2023",
    // The page's content security policy forbids inline scripts, styles and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { pluginTimings: false } },
    reportCompressedSize: false,
    // `entryBudget` limits the entry instead, in bytes after gzip.
    chunkSizeWarningLimit: 1_000,
  },
  server: {
    proxy: {
      "/api": {
        target: BERTH_URL,
        changeOrigin: true,
        headers: BERTH_TOKEN === "" ? {} : { authorization: `Bearer ${BERTH_TOKEN}` },
      },
      "/console/auth": { target: BERTH_URL, changeOrigin: true },
    },
  },
});
