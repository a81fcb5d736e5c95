// Makes the packages that are published: the extension, and one package with the engine for each platform.
//
//	node scripts/stage.mjs <folder of engines> <output>
//
// An engine is a file named pi-agent-ask-<platform>-<cpu>, in the words of Node, with .exe on win32.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [engines, output] = process.argv.slice(2);
if (!engines || !output) {
	console.error("usage: node scripts/stage.mjs <folder of engines> <output>");
	process.exit(2);
}
const here = fileURLToPath(new URL("..", import.meta.url));
const {
	scripts: _scripts,
	devDependencies: _tools,
	private: _private,
	...main
} = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));

function write(folder, manifest) {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, "\t")}\n`);
	cpSync(join(here, "../../LICENSE"), join(folder, "LICENSE"));
}

const optionalDependencies = {};
for (const file of readdirSync(engines).sort()) {
	const [, os, cpu, exe = ""] = file.match(/^pi-agent-ask-([a-z0-9]+)-([a-z0-9]+)(\.exe)?$/) ?? [];
	if (!os) continue;
	const name = `@pi-agent-ask/engine-${os}-${cpu}`;
	const folder = join(output, `engine-${os}-${cpu}`);
	rmSync(folder, { recursive: true, force: true });
	const { version, license } = main;
	write(folder, {
		name,
		version,
		license,
		description: `The engine of pi-agent-ask for ${os} ${cpu}`,
		os: [os],
		cpu: [cpu],
	});
	mkdirSync(join(folder, "bin"));
	const program = join(folder, "bin", `pi-agent-ask${exe}`);
	cpSync(join(engines, file), program);
	chmodSync(program, 0o755);
	optionalDependencies[name] = version;
}
if (Object.keys(optionalDependencies).length === 0) {
	console.error(`there is no engine in ${engines}`);
	process.exit(1);
}
const folder = join(output, "pi-agent-ask");
rmSync(folder, { recursive: true, force: true });
write(folder, { ...main, optionalDependencies });
for (const part of ["dist", "manifest.json", "skills", "README.md"]) {
	cpSync(join(here, part), join(folder, part), { recursive: true });
}
console.log(`${output}: pi-agent-ask and ${Object.keys(optionalDependencies).length} engines`);
