import { defineConfig } from "vite";

// The server's address while the page is worked on: SOUPLE=http://127.0.0.1:8765 npm run dev
const server = process.env.SOUPLE ?? "http://127.0.0.1:8765";

export default defineConfig({
    base: "./",
    build: {
        outDir: "dist",
        emptyOutDir: true,
        target: "es2022",
        // everything comes from the simulation's own server, in few files; three.js alone passes the usual limit
        chunkSizeWarningLimit: 1200,
        assetsDir: "",
    },
    server: {
        proxy: { "/ws": { target: server, ws: true, changeOrigin: true }, "/files": { target: server, changeOrigin: true } },
    },
});
