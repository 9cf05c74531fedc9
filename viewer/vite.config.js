import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// pictures of the scenes, which tools/viewer.sh draws before: "organs/liver"
const pictures = fileURLToPath(new URL("public/thumbs", import.meta.url));
const thumbnails = existsSync(pictures) ? readdirSync(pictures, { recursive: true }).filter((f) => f.endsWith(".png")).map((f) => f.slice(0, -4)) : [];

// The server's address while the page is worked on: SOUPLE=http://127.0.0.1:8765 npm run dev
const server = process.env.SOUPLE ?? "http://127.0.0.1:8765";

export default defineConfig({
    base: "./",
    define: { THUMBNAILS: JSON.stringify(thumbnails) },
    build: {
        outDir: "dist",
        emptyOutDir: true,
        target: "es2022",
        // everything comes from the simulation's own server, in few files; three.js alone passes the usual limit
        chunkSizeWarningLimit: 1200,
        assetsDir: "",
    },
    server: {
        proxy: { "/ws": { target: server, ws: true, changeOrigin: true }, "/files": { target: server, changeOrigin: true }, "/scene": { target: server, changeOrigin: true } },
    },
});
