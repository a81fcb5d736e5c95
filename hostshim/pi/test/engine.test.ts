import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Engine, findEngine, type Where } from "../src/engine.ts";
import type { Peer } from "../src/peer.ts";

const fake = fileURLToPath(new URL("fake-engine.mjs", import.meta.url));

function where(o: Partial<Where> & { files?: string[] }): Where {
	const files = o.files ?? [];
	return {
		env: {},
		platform: "linux",
		arch: "x64",
		packageFolder: () => undefined,
		exists: (p) => files.includes(p),
		...o,
	};
}

test("the engine is looked for in the variable, the package, and on PATH", () => {
	const packageFolder = (name: string) => (name === "@pi-agent-ask/engine-linux-x64" ? "/pkg" : undefined);
	const files = ["/own", "/pkg/bin/pi-agent-ask", "/b/pi-agent-ask"];
	const PATH = "/a:/b";
	assert.equal(findEngine(where({ env: { PI_AGENT_ASK_ENGINE: "/own", PATH }, packageFolder, files })), "/own");
	assert.equal(findEngine(where({ env: { PATH }, packageFolder, files })), "/pkg/bin/pi-agent-ask");
	assert.equal(findEngine(where({ env: { PATH }, files })), "/b/pi-agent-ask");
});

test("without an engine the error says what to do", () => {
	assert.throws(
		() => findEngine(where({ env: { PI_AGENT_ASK_ENGINE: "/nowhere" } })),
		/PI_AGENT_ASK_ENGINE .*\/nowhere/,
	);
	assert.throws(() => findEngine(where({ platform: "sunos", arch: "sparc" })), /engine-sunos-sparc.*pi install/s);
});

/** Runs fn with a fake engine that misbehaves in some way. */
async function withEngine(how: string, fn: (e: Engine, crashes: Error[]) => Promise<void>, path = fake) {
	process.env.FAKE_ENGINE = how;
	const crashes: Error[] = [];
	const handlers = { request: () => ({}), notification: () => {}, drained: () => {} };
	const life = {
		hello: () => ({}),
		greet: (peer: Peer) => peer.call("session/start", { gen: 1 }),
		crashed: (e: Error, ready: boolean) => void (ready && crashes.push(e)),
	};
	const engine = new Engine(life, handlers, () => path);
	try {
		await fn(engine, crashes);
	} finally {
		await engine.stop(async (peer) => peer.call("shutdown", {}));
		delete process.env.FAKE_ENGINE;
	}
}

const alive = (pid: number) => {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
};

for (const [how, want] of [
	["version", /version 9\.9\.9 speaks protocol 7, this extension needs 1/],
	["refuse", /protocol 1 is not supported/],
	["exit", /exit code 3[\s\S]*could not read the moon/],
	["lost", /the session cannot be read/],
] as const) {
	test(`an engine that does not come up (${how}) rejects with the reason`, () =>
		withEngine(how, async (engine, crashes) => {
			await assert.rejects(engine.peer(), want);
			assert.deepEqual(crashes, [], "it had never been ready");
			delete process.env.FAKE_ENGINE;
			await engine.peer(); // the next use tries again
		}));
}

test("a program that is none rejects", () =>
	withEngine("", (e) => assert.rejects(e.peer(), /could not be started/), "/dev/null"));

test("lines that are no messages do not matter", () =>
	withEngine("garbage", async (engine) => {
		const peer = await engine.peer();
		assert.deepEqual(await peer.call("turn/boundary", {}), { entries: [], continue: false });
	}));

test("a crash rejects what is under way with the last words, and the next use has a new engine", () =>
	withEngine("", async (engine, crashes) => {
		const peer = await engine.peer();
		const call = peer.call("tool/execute", { gen: 1, callId: "a", name: "ask_user" });
		peer.notify("form/mounted", { form: 1, cols: 80, rows: 20 });
		peer.notify("form/key", { form: 1, id: "c", text: "c" });
		await assert.rejects(call, /exit code 3[\s\S]*panic: lost my head/);
		assert.equal(crashes.length, 1);
		assert.notEqual(await engine.peer(), peer);
	}));

test("an engine that does not end is killed", async () => {
	let pid = 0;
	await withEngine("stay", async (engine) => {
		await engine.peer();
		pid = engine.pid ?? 0;
		assert.ok(alive(pid));
	});
	assert.ok(!alive(pid), "it is still there");
});

test("stopping twice, or without an engine, is fine", () =>
	withEngine("", async (engine) => {
		await engine.stop(async () => {});
		await engine.stop(async () => {});
		await assert.rejects(engine.peer(), /over/);
	}));
