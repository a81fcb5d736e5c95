// Bundles the extension into a folder, dist if none is named.
//
// pi's loader compiles what it loads itself, which takes long the first time; only what it loads gets pi's own modules. So it loads a few lines, which hand those modules to the rest, and Node loads that as it is.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(new URL(".", import.meta.url)));
const to = process.argv[2] ?? join(here, "dist");
const { metafile } = await build({
	absWorkingDir: here,
	entryPoints: ["src/index.ts"],
	outfile: join(to, "main.cjs"),
	bundle: true,
	format: "cjs",
	platform: "node",
	target: "node22",
	external: ["@earendil-works/*"],
	define: { "import.meta.url": "__bundleURL" },
	banner: {
		js: `module.exports = (require) => { const module = {}; const __bundleURL = require("node:url").pathToFileURL(__filename).href;`,
	},
	footer: { js: "return module.exports.default; };" },
	metafile: true,
	logLevel: "warning",
});
const [main] = Object.values(metafile.outputs);
const host = main.imports.filter((i) => i.external && i.path.startsWith("@earendil-works/")).map((i) => i.path);
const names = [...new Set(host)].sort();
writeFileSync(
	join(to, "index.js"),
	`import { createRequire } from "node:module";
${names.map((name, i) => `import * as host${i} from "${name}";`).join("\n")}
const host = { ${names.map((name, i) => `"${name}": host${i}`).join(", ")} };
const require = createRequire(import.meta.url);
delete require.cache[require.resolve("./main.cjs")]; // /reload may come after an update
export default require("./main.cjs")((name) => host[name] ?? require(name));
`,
);
