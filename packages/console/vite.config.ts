import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { bundledPackages } from "./build/bundled-packages.ts";
import { compressed } from "./build/compressed.ts";
import { entryBudget } from "./build/entry-budget.ts";
import { startScript } from "./build/start-script.ts";

/** The service that `npm run dev` shows, and the token that it is asked with. */
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
    // The policy of the page allows no inline scripts, styles or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { pluginTimings: false } },
    reportCompressedSize: false,
    // The budget of the entry is in bytes after gzip, see entry-budget.
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
